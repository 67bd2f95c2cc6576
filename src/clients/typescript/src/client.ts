import { manyCompanies } from './many.ts'
import { queryOf } from './query.ts'
import type {
  Aksjonaer,
  Avbrytbar,
  Bedrift,
  Del,
  Endring,
  Felt,
  Ledetraader,
  Overvaking,
  Rolleforetak,
  Schemas,
  Sokefilter,
  Treff,
  Underenhet,
} from './shapes.ts'
import { createTransport, type TransportOptions } from './transport.ts'

export type Klient = ReturnType<typeof lagKlient>

const WATCHED = '/api/overvaking'

/** A client of the service. Every call throws OppslagProblem when the service answers with a problem. */
export function lagKlient(options: TransportOptions) {
  const transport = createTransport(options)
  const { send, getJson, getPage, vent: wait } = transport
  const company = (orgnr: string) => `/api/bedrift/${encodeURIComponent(orgnr)}`

  function bedrift(orgnr: string, valg?: Avbrytbar & { fersk?: boolean; felt?: undefined }): Promise<Bedrift>
  function bedrift<F extends Felt>(
    orgnr: string,
    valg: Avbrytbar & { fersk?: boolean; felt: readonly F[] },
  ): Promise<Del<F>>
  function bedrift(
    orgnr: string,
    { felt, fersk, signal }: Avbrytbar & { fersk?: boolean; felt?: readonly string[] | undefined } = {},
  ): Promise<unknown> {
    return getJson(
      `${company(orgnr)}${queryOf({ felt: felt?.join(','), fersk: fersk || undefined })}`,
      signal,
    )
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
    ...manyCompanies(transport),

    /** Fixed columns of up to 500 companies: CSV as Norwegian Excel opens it, or a workbook with roles and shareholders too. */
    async regneark(
      orgnrs: readonly string[],
      form: 'csv' | 'xlsx',
      { signal }: Avbrytbar = {},
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
    sok: (q: string, filter: Sokefilter & { size?: number } = {}, { signal }: Avbrytbar = {}) =>
      getJson<Schemas['Sok']>(`/api/bedrift/sok${queryOf({ q, ...filter })}`, signal),

    /** Every hit, page by page as it is asked for. */
    async *treff(q: string, filter: Sokefilter = {}, { signal }: Avbrytbar = {}): AsyncGenerator<Treff> {
      for await (const { treff } of pages<Schemas['Sok']>(
        '/api/bedrift/sok',
        { q, ...filter, size: 100 },
        signal,
      ))
        yield* treff
    },

    /** The one company that is meant, or null and the nearest. */
    finn: (ledetraader: Ledetraader, { signal }: Avbrytbar = {}) =>
      getJson<Schemas['Finn']>(`/api/bedrift/finn${queryOf(ledetraader)}`, signal),

    /** Every holder of a year, largest first; of the newest when `aar` is left out. */
    async *aksjonaerer(
      orgnr: string,
      { aar, signal }: Avbrytbar & { aar?: number } = {},
    ): AsyncGenerator<Aksjonaer> {
      const path = `${company(orgnr)}/aksjonaerer`
      for await (const { aksjonaerer } of pages<Schemas['Aksjonaerside']>(path, { aar, size: 500 }, signal))
        yield* aksjonaerer
    },

    /** Every sub-unit, by number. Throws when the register could not be read just now: none is another answer. */
    async *underenheter(orgnr: string, { signal }: Avbrytbar = {}): AsyncGenerator<Underenhet> {
      const path = `${company(orgnr)}/underenheter`
      type Page = { underenheter: Schemas['UnderenheterSeksjon']; neste: string | null }
      for await (const { underenheter } of pages<Page>(path, { size: 500 }, signal))
        yield* readSection(underenheter)?.alle ?? []
    },

    /** Every company it has a role in, by number. Throws as `underenheter` does. */
    async *rollerIAndreForetak(orgnr: string, { signal }: Avbrytbar = {}): AsyncGenerator<Rolleforetak> {
      const path = `${company(orgnr)}/rollerIAndreForetak`
      type Page = { rollerIAndreForetak: Schemas['RollerIAndreForetakSeksjon']; neste: string | null }
      for await (const { rollerIAndreForetak } of pages<Page>(path, { size: 500 }, signal))
        yield* readSection(rollerIAndreForetak)?.alle ?? []
    },

    /** The whole group it is in, or null when it is in none. Throws as `underenheter` does. */
    async konsern(orgnr: string, { signal }: Avbrytbar = {}): Promise<Schemas['Konsern'] | null> {
      type Part = { konsern: Schemas['KonsernSeksjon'] }
      return readSection((await getJson<Part>(`${company(orgnr)}/konsern`, signal)).konsern)
    },

    eierskap: (
      orgnr: string,
      {
        signal,
        ...query
      }: Avbrytbar & { aar?: number; retning?: 'opp' | 'ned' | 'begge'; dybde?: number } = {},
    ) => getJson<Schemas['Eierskap']>(`${company(orgnr)}/eierskap${queryOf(query)}`, signal),

    /** Watches a company from now on; the same again changes the wish. */
    async overvak(
      orgnr: string,
      onske: Schemas['Overvakingsonske'] = {},
      { signal }: Avbrytbar = {},
    ): Promise<Overvaking> {
      const answer = await send(`${WATCHED}/${encodeURIComponent(orgnr)}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify(onske),
        ...(signal && { signal }),
      })
      return (await answer.json()) as Overvaking
    },

    async sluttAOvervake(orgnr: string, { signal }: Avbrytbar = {}): Promise<void> {
      await send(`${WATCHED}/${encodeURIComponent(orgnr)}`, { method: 'DELETE', ...(signal && { signal }) })
    },

    /** Every company that is watched, by number. */
    async *overvakinger({ signal }: Avbrytbar = {}): AsyncGenerator<Overvaking> {
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
    }: Avbrytbar & {
      etter?: string
      orgnr?: string
      type?: readonly string[]
      vent?: number
    } = {}): AsyncGenerator<Endring> {
      let place = etter
      while (!signal?.aborted) {
        const query = queryOf({ etter: place, orgnr, type: type?.join(','), vent: seconds || undefined })
        const { page, againAfterMs } = await getPage<Schemas['Endringsside']>(
          `/api/endringer${query}`,
          signal,
        )
        yield* page.endringer
        place = page.neste
        if (seconds === 0 && !page.flere) return
        // As many wait as may.
        if (againAfterMs > 0) await wait(againAfterMs, signal)
      }
    },

    /** How long the key lasts. */
    nokkel: ({ signal }: Avbrytbar = {}) => getJson<Schemas['NokkelStatus']>('/api/bedrift/status', signal),
  }
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
