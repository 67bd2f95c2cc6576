import { OppslagProblem } from './problem.ts'
import { queryOf } from './query.ts'
import type { Avbrytbar, Bestilling, Del, Felt, Fremdrift, Linje, Schemas } from './shapes.ts'
import type { Transport } from './transport.ts'

const AT_ONCE_MOST = 500
/** Numbers in one list that is handed in, and where such lists are then. */
const LIST_MOST = 100_000
const LISTS = '/api/bestillinger'
/** Asked again for what a cut-off answer did not have; without progress it gives up. */
const CUT_OFF_MOST = 3
/** How often a list is asked how far it has come. */
const LOOK_EVERY_MS = 5000

/** Many companies: line by line as they come, or handed in as a list and fetched later. */
export function manyCompanies({ send, getJson, vent }: Transport) {
  type Mange = Avbrytbar & { fremdrift?: Fremdrift }
  function mange(orgnrs: Iterable<string>, valg?: Mange & { felt?: undefined }): AsyncGenerator<Linje>
  function mange<F extends Felt>(
    orgnrs: Iterable<string>,
    valg: Mange & { felt: readonly F[] },
  ): AsyncGenerator<Linje<Del<F>>>
  /**
   * Any number of companies, in the order given, and again for what a cut-off answer did not have. More than 500 are handed in
   * as lists, which are taken back when they are read, or when nobody reads on.
   */
  async function* mange(
    orgnrs: Iterable<string>,
    { felt, signal, fremdrift }: Mange & { felt?: readonly string[] | undefined } = {},
  ): AsyncGenerator<Linje<never>> {
    const once = each(orgnrs)
    if (once.length > AT_ONCE_MOST) {
      for (const list of inLists(once, LIST_MOST)) yield* handedIn(list, felt, signal, fremdrift)
      return
    }
    for (const list of inLists(once, AT_ONCE_MOST)) {
      let left = list
      for (let times = 1; left.length > 0; times++) {
        let isWhole = false
        let count = 0
        for await (const line of linesOf(left, felt, signal)) {
          if ('oppsummering' in line) isWhole = true
          else {
            count += 1
            yield toldOf(line) as Linje<never>
          }
        }
        if (isWhole) break
        if (times >= CUT_OFF_MOST && count === 0) throw new Error('the answer was cut off, again and again')
        left = left.slice(count)
      }
    }
  }

  async function* handedIn(
    list: readonly string[],
    felt: readonly string[] | undefined,
    signal: AbortSignal | undefined,
    fremdrift: Fremdrift | undefined,
  ): AsyncGenerator<Linje<never>> {
    let stand = await bestill(list, { ...(felt && { felt }), ...(signal && { signal }) })
    try {
      while (stand.fremdrift !== 'ferdig') {
        fremdrift?.(stand.behandlet, stand.linjer)
        await vent(LOOK_EVERY_MS, signal)
        stand = await bestilling(stand.id, { ...(signal && { signal }) })
      }
      fremdrift?.(stand.behandlet, stand.linjer)
      yield* resultat(stand.id, { ...(signal && { signal }) }) as AsyncGenerator<Linje<never>>
    } finally {
      // Nobody waits for it any more; one that can not be taken back is gone in seven days.
      await avbryt(stand.id).catch(() => {})
    }
  }

  /**
   * Hands a list of up to 100,000 in: it is gone through while you do something else.
   *
   * @param valg.navn what you call it: the same list under the same name is the same order, so that it can be sent again
   */
  async function bestill(
    orgnrs: Iterable<string>,
    {
      felt,
      navn = crypto.randomUUID(),
      signal,
    }: Avbrytbar & { felt?: readonly string[]; navn?: string } = {},
  ): Promise<Bestilling> {
    const answer = await send(`/api/bedrift/bestillinger${queryOf({ felt: felt?.join(',') })}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'idempotency-key': navn,
      },
      body: JSON.stringify([...orgnrs]),
      ...(signal && { signal }),
    })
    return (await answer.json()) as Bestilling
  }

  /** How far it has come. */
  function bestilling(id: string, { signal }: Avbrytbar = {}): Promise<Bestilling> {
    return getJson<Bestilling>(`${LISTS}/${encodeURIComponent(id)}`, signal)
  }

  /** Taken back: nothing is left of it. */
  async function avbryt(id: string): Promise<void> {
    await send(`${LISTS}/${encodeURIComponent(id)}`, { method: 'DELETE' })
  }

  /** What a list that is done gave, from the line `fra` on; where a download was cut off it is gone on with. */
  async function* resultat(
    id: string,
    { fra = 1, signal }: Avbrytbar & { fra?: number } = {},
  ): AsyncGenerator<Linje> {
    let next = fra
    for (let fruitless = 0; ; ) {
      const from = next
      const answer = await send(`${LISTS}/${encodeURIComponent(id)}/resultat${queryOf({ fra: next })}`, {
        headers: { accept: 'application/x-ndjson' },
        ...(signal && { signal }),
      })
      for await (const line of linesIn(answer, signal)) {
        if ('oppsummering' in line) return
        next = line.linje + 1
        yield toldOf(line)
      }
      fruitless = next === from ? fruitless + 1 : 0
      if (fruitless >= CUT_OFF_MOST) throw new Error('the answer was cut off, again and again')
    }
  }

  async function* linesOf(
    list: readonly string[],
    felt: readonly string[] | undefined,
    signal?: AbortSignal,
  ) {
    const answer = await send(`/api/bedrift/oppslag${queryOf({ felt: felt?.join(',') })}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/x-ndjson' },
      body: JSON.stringify(list),
      ...(signal && { signal }),
    })
    yield* linesIn(answer, signal)
  }

  async function* linesIn(answer: Response, signal: AbortSignal | undefined) {
    let rest = ''
    try {
      for await (const text of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        const lines = (rest + text).split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) yield JSON.parse(line) as Schemas['Linje']
      }
    } catch (error) {
      // The connection broke: what came is good, and its end is missing.
      if (signal?.aborted || error instanceof SyntaxError) throw error
    }
  }

  return { mange, bestill, bestilling, avbryt, resultat }
}

function toldOf(line: Exclude<Schemas['Linje'], { readonly oppsummering: unknown }>): Linje {
  const provIgjenEtter = line.provIgjenEtter ?? null
  if ('foretak' in line) {
    return { organisasjonsnummer: line.organisasjonsnummer, foretak: line.foretak, provIgjenEtter }
  }
  const organisasjonsnummer = line.organisasjonsnummer ?? line.oppgitt ?? ''
  return { organisasjonsnummer, feil: new OppslagProblem(line.feil, provIgjenEtter), provIgjenEtter }
}

/** Each once: the service answers a double once, and a place in a list is then not a place in its answer. */
function each(orgnrs: Iterable<string>): string[] {
  return [...new Set([...orgnrs].map((orgnr) => orgnr.replace(/\s/g, '')))]
}

function* inLists(orgnrs: readonly string[], most: number): Generator<string[]> {
  for (let from = 0; from < orgnrs.length; from += most) yield orgnrs.slice(from, from + most)
}
