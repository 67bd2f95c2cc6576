/**
 * The catalogue: everything the register stand-in knows before it starts.
 *
 * - `companies`: organisation number → what each register answers about it. A source that is not listed answers as the
 *   real one does when it has nothing: an empty 404, or for the announcements page a page that says there are none.
 * - One answer is a status and either `json` (sent as UTF-8) or `html` (sent as ISO-8859-1, as the announcements are).
 *   `json` of `regnskap` is the whole array; the `år` and `regnskapstype` filters are the stand-in's work.
 * - `klass`: SSB's correspondence table 2919 and the code lists of classification 6, each with the days it is valid for
 *   (`validTo` is the first day after, as KLASS writes it). Null or missing gives KLASS's own 404.
 *
 * Search is made from the units under `enhet` and `underenhet`: what can be looked up can be found, and deleted or
 * removed units are not in the hits. The change feeds start empty and are filled with `publish`.
 */
export type AnswersCatalogue = {
  companies: ReadonlyMap<string, CompanyAnswers>
  klass: KlassAnswers
}

export type CompanySource =
  | 'enhet'
  | 'underenhet'
  | 'roller'
  | 'signatur'
  | 'prokura'
  | 'regnskap'
  | 'kunngjoringer'

export type CompanyAnswers = { readonly [Source in CompanySource]?: StandInAnswer }

export type StandInAnswer = { status: number; json: unknown } | { status: number; html: string }

export type KlassAnswers = { correspondence: unknown; codeLists: readonly KlassCodeList[] }

type KlassCodeList = { validFrom: string; validTo: string | null; codes: readonly KlassCode[] }

export type KlassCode = { code: string; parentCode: string | null; level: string; name: string }

/** Everything that can be asked, counted and made to fail, by the names the service uses, plus the change feeds. */
export type StandInSource = CompanySource | 'sok' | 'klass' | `oppdateringer/${FeedName}`

export type FeedName = 'enheter' | 'underenheter' | 'roller'

/** The ordinary answer: 200 and a body. */
export function found(json: unknown): StandInAnswer {
  return { status: 200, json }
}
