import { OppslagProblem } from './problem.ts'
import { createTransport, type TransportOptions } from './transport.ts'
import type { components } from './types.ts'

type Schemas = components['schemas']
export type Bedrift = Schemas['Bedrift']
export type Treff = Schemas['Treff']
export type Aksjonaer = Schemas['Aksjonaer']
type Always = 'organisasjonsnummer' | 'komplett'
/** A field that may be asked for alone. */
export type Felt = Exclude<keyof Bedrift, Always | 'kilder'>
/** A company with the chosen fields, and what always follows. */
export type Del<F extends Felt> = Pick<Bedrift, F | Always> & { readonly kilder: Partial<Bedrift['kilder']> }

/** One number of many: the company, or why there is none. `provIgjenEtter`: seconds until what is missing may be there. */
export type Linje<B = Bedrift> =
  | { organisasjonsnummer: string; foretak: B; feil?: never; provIgjenEtter: number | null }
  | { organisasjonsnummer: string; foretak?: never; feil: OppslagProblem; provIgjenEtter: number | null }

export type Sokefilter = {
  organisasjonsform?: string
  kommune?: string
  fylke?: string
  naeringskode?: string
  ansatteFra?: number
  ansatteTil?: number
  tilstand?: Schemas['Foretakstilstand']
  registrertFra?: string
  registrertTil?: string
  type?: 'enhet' | 'underenhet'
}
type Ledetraader = { navn?: string; sted?: string; nettsted?: string; telefon?: string; epost?: string }
type Waiting = { signal?: AbortSignal }

export type Klient = ReturnType<typeof lagKlient>

const AT_ONCE_MOST = 500
/** Asked again for what a cut-off answer did not have; without progress it gives up. */
const CUT_OFF_MOST = 3

/** A client of the service. Every call throws OppslagProblem when the service answers with a problem. */
export function lagKlient(options: TransportOptions) {
  const { send, getJson } = createTransport(options)
  const company = (orgnr: string) => `/api/bedrift/${encodeURIComponent(orgnr)}`

  function bedrift(orgnr: string, valg?: Waiting & { fersk?: boolean; felt?: undefined }): Promise<Bedrift>
  function bedrift<F extends Felt>(
    orgnr: string,
    valg: Waiting & { fersk?: boolean; felt: readonly F[] },
  ): Promise<Del<F>>
  function bedrift(
    orgnr: string,
    { felt, fersk, signal }: Waiting & { fersk?: boolean; felt?: readonly string[] | undefined } = {},
  ): Promise<unknown> {
    return getJson(
      `${company(orgnr)}${queryOf({ felt: felt?.join(','), fersk: fersk || undefined })}`,
      signal,
    )
  }

  function mange(orgnrs: Iterable<string>, valg?: Waiting & { felt?: undefined }): AsyncGenerator<Linje>
  function mange<F extends Felt>(
    orgnrs: Iterable<string>,
    valg: Waiting & { felt: readonly F[] },
  ): AsyncGenerator<Linje<Del<F>>>
  /** Any number of companies, in the order given: 500 at a time, and again for what a cut-off answer did not have. */
  async function* mange(
    orgnrs: Iterable<string>,
    { felt, signal }: Waiting & { felt?: readonly string[] | undefined } = {},
  ): AsyncGenerator<Linje<never>> {
    for (const list of inLists(orgnrs, AT_ONCE_MOST)) {
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

  async function* pages<P extends { readonly neste: string | null }>(
    path: string,
    query: Record<string, unknown>,
    signal?: AbortSignal,
  ): AsyncGenerator<P> {
    let etter: string | undefined
    while (true) {
      const page = await getJson<P>(`${path}${queryOf({ ...query, etter })}`, signal)
      yield page
      if (page.neste === null) return
      etter = page.neste
    }
  }

  return {
    bedrift,
    mange,

    /** Fixed columns of up to 500 companies: CSV as Norwegian Excel opens it, or a workbook with roles and shareholders too. */
    async regneark(
      orgnrs: readonly string[],
      form: 'csv' | 'xlsx',
      { signal }: Waiting = {},
    ): Promise<Uint8Array> {
      const accept = {
        csv: 'text/csv',
        xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      }[form]
      const answer = await send('/api/bedrift/oppslag', {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept },
        body: JSON.stringify(orgnrs),
        ...(signal && { signal }),
      })
      return new Uint8Array(await answer.arrayBuffer())
    },

    /** One page. */
    sok: (q: string, filter: Sokefilter & { size?: number } = {}, { signal }: Waiting = {}) =>
      getJson<Schemas['Sok']>(`/api/bedrift/sok${queryOf({ q, ...filter })}`, signal),

    /** Every hit, page by page as it is asked for. */
    async *treff(q: string, filter: Sokefilter = {}, { signal }: Waiting = {}): AsyncGenerator<Treff> {
      for await (const { treff } of pages<Schemas['Sok']>(
        '/api/bedrift/sok',
        { q, ...filter, size: 100 },
        signal,
      ))
        yield* treff
    },

    /** The one company that is meant, or null and the nearest. */
    finn: (ledetraader: Ledetraader, { signal }: Waiting = {}) =>
      getJson<Schemas['Finn']>(`/api/bedrift/finn${queryOf(ledetraader)}`, signal),

    /** Every holder of a year, largest first; of the newest when `aar` is left out. */
    async *aksjonaerer(
      orgnr: string,
      { aar, signal }: Waiting & { aar?: number } = {},
    ): AsyncGenerator<Aksjonaer> {
      const path = `${company(orgnr)}/aksjonaerer`
      for await (const { aksjonaerer } of pages<Schemas['Aksjonaerside']>(path, { aar, size: 500 }, signal))
        yield* aksjonaerer
    },

    eierskap: (
      orgnr: string,
      {
        signal,
        ...query
      }: Waiting & { aar?: number; retning?: 'opp' | 'ned' | 'begge'; dybde?: number } = {},
    ) => getJson<Schemas['Eierskap']>(`${company(orgnr)}/eierskap${queryOf(query)}`, signal),

    /** How long the key lasts. */
    nokkel: ({ signal }: Waiting = {}) => getJson<Schemas['NokkelStatus']>('/api/bedrift/status', signal),
  }
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
function* inLists(orgnrs: Iterable<string>, most: number): Generator<string[]> {
  let list: string[] = []
  for (const orgnr of new Set([...orgnrs].map((each) => each.replace(/\s/g, '')))) {
    list.push(orgnr)
    if (list.length < most) continue
    yield list
    list = []
  }
  if (list.length > 0) yield list
}

function queryOf(values: Record<string, unknown>): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  if (given.length === 0) return ''
  return `?${new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]))}`
}
