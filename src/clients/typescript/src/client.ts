import { OppslagProblem } from './problem.ts'
import { createTransport, type TransportOptions } from './transport.ts'
import type { components } from './types.ts'

type Schemas = components['schemas']
export type Bedrift = Schemas['Bedrift']
export type Treff = Schemas['Treff']
export type Aksjonaer = Schemas['Aksjonaer']
export type Underenhet = Schemas['Underenhet']
export type Rolleforetak = Schemas['Rolleforetak']
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
/** Told now and again how far a long list has come. */
type Fremdrift = (behandlet: number, linjer: number) => void
/** A list that was handed in. */
export type Bestilling = Schemas['Bestilling']
/** A change in a company; `peker` is where one goes on after it. */
export type Endring = Schemas['Endring']
export type Overvaking = Schemas['Overvaking']

export type Klient = ReturnType<typeof lagKlient>

const AT_ONCE_MOST = 500
/** Numbers in one list that is handed in, and where such lists are then. */
const LIST_MOST = 100_000
const LISTS = '/api/bestillinger'
const WATCHED = '/api/overvaking'
/** Asked again for what a cut-off answer did not have; without progress it gives up. */
const CUT_OFF_MOST = 3
/** How often a list is asked how far it has come. */
const LOOK_EVERY_MS = 5000

/** A client of the service. Every call throws OppslagProblem when the service answers with a problem. */
export function lagKlient(options: TransportOptions) {
  const { send, getJson, vent } = createTransport(options)
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

  type Mange = Waiting & { fremdrift?: Fremdrift }
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
    { felt, navn = crypto.randomUUID(), signal }: Waiting & { felt?: readonly string[]; navn?: string } = {},
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
  function bestilling(id: string, { signal }: Waiting = {}): Promise<Bestilling> {
    return getJson<Bestilling>(`${LISTS}/${encodeURIComponent(id)}`, signal)
  }

  /** Taken back: nothing is left of it. */
  async function avbryt(id: string): Promise<void> {
    await send(`${LISTS}/${encodeURIComponent(id)}`, { method: 'DELETE' })
  }

  /** What a list that is done gave, from the line `fra` on; where a download was cut off it is gone on with. */
  async function* resultat(
    id: string,
    { fra = 1, signal }: Waiting & { fra?: number } = {},
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
    bestill,
    bestilling,
    avbryt,
    resultat,

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

    /** Every sub-unit, by number. Throws when the register could not be read just now: none is another answer. */
    async *underenheter(orgnr: string, { signal }: Waiting = {}): AsyncGenerator<Underenhet> {
      const path = `${company(orgnr)}/underenheter`
      type Page = { underenheter: Schemas['UnderenheterSeksjon']; neste: string | null }
      for await (const { underenheter } of pages<Page>(path, { size: 500 }, signal))
        yield* readSection(underenheter)?.alle ?? []
    },

    /** Every company it has a role in, by number. Throws as `underenheter` does. */
    async *rollerIAndreForetak(orgnr: string, { signal }: Waiting = {}): AsyncGenerator<Rolleforetak> {
      const path = `${company(orgnr)}/rollerIAndreForetak`
      type Page = { rollerIAndreForetak: Schemas['RollerIAndreForetakSeksjon']; neste: string | null }
      for await (const { rollerIAndreForetak } of pages<Page>(path, { size: 500 }, signal))
        yield* readSection(rollerIAndreForetak)?.alle ?? []
    },

    /** The whole group it is in, or null when it is in none. Throws as `underenheter` does. */
    async konsern(orgnr: string, { signal }: Waiting = {}): Promise<Schemas['Konsern'] | null> {
      type Part = { konsern: Schemas['KonsernSeksjon'] }
      return readSection((await getJson<Part>(`${company(orgnr)}/konsern`, signal)).konsern)
    },

    eierskap: (
      orgnr: string,
      {
        signal,
        ...query
      }: Waiting & { aar?: number; retning?: 'opp' | 'ned' | 'begge'; dybde?: number } = {},
    ) => getJson<Schemas['Eierskap']>(`${company(orgnr)}/eierskap${queryOf(query)}`, signal),

    /** Watches a company from now on; the same again changes the wish. */
    async overvak(
      orgnr: string,
      onske: Schemas['Overvakingsonske'] = {},
      { signal }: Waiting = {},
    ): Promise<Overvaking> {
      const answer = await send(`${WATCHED}/${encodeURIComponent(orgnr)}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify(onske),
        ...(signal && { signal }),
      })
      return (await answer.json()) as Overvaking
    },

    async sluttAOvervake(orgnr: string, { signal }: Waiting = {}): Promise<void> {
      await send(`${WATCHED}/${encodeURIComponent(orgnr)}`, { method: 'DELETE', ...(signal && { signal }) })
    },

    /** Every company that is watched, by number. */
    async *overvakinger({ signal }: Waiting = {}): AsyncGenerator<Overvaking> {
      for await (const { overvakinger } of pages<Schemas['Overvakinger']>(WATCHED, { size: 1000 }, signal))
        yield* overvakinger
    },

    /**
     * Every change in what is watched, the oldest first, and then each as it comes, until the signal ends it. Keep the `peker` of
     * the last you are done with, and go on from it another time.
     *
     * @param valg.vent seconds each question waits for something to change; 0: it ends with what there is
     */
    async *endringer({
      etter,
      orgnr,
      type,
      vent: seconds = 25,
      signal,
    }: Waiting & {
      etter?: string
      orgnr?: string
      type?: readonly string[]
      vent?: number
    } = {}): AsyncGenerator<Endring> {
      let place = etter
      while (!signal?.aborted) {
        const query = queryOf({ etter: place, orgnr, type: type?.join(','), vent: seconds || undefined })
        const page = await getJson<Schemas['Endringsside']>(`/api/endringer${query}`, signal)
        yield* page.endringer
        place = page.neste
        if (seconds === 0 && !page.flere) return
      }
    },

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

type Section<D> =
  | { readonly tilstand: 'fersk' | 'utdatert'; readonly data: D }
  | { readonly tilstand: Exclude<Schemas['Tilstand'], 'fersk' | 'utdatert'>; readonly data: null }

/** What there is; null when there is none. What could not be read is not the same as none. */
function readSection<D>(section: Section<D>): D | null {
  if (section.tilstand === 'utilgjengelig')
    throw new Error('the register could not be read just now', { cause: section })
  return section.data
}

/** Each once: the service answers a double once, and a place in a list is then not a place in its answer. */
function each(orgnrs: Iterable<string>): string[] {
  return [...new Set([...orgnrs].map((orgnr) => orgnr.replace(/\s/g, '')))]
}

function* inLists(orgnrs: readonly string[], most: number): Generator<string[]> {
  for (let from = 0; from < orgnrs.length; from += most) yield orgnrs.slice(from, from + most)
}

function queryOf(values: Record<string, unknown>): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  if (given.length === 0) return ''
  return `?${new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]))}`
}
