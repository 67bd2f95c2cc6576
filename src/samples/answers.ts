import type { CompanySource } from '#src/sources/index.ts'

/**
 * What the registers say of invented companies, in the registers' own shapes.
 *
 * - `companies`: organisation number → what each register answers about it. A source that is not listed answers as the
 *   real one does when it has nothing: an empty 404, or for the announcements page a page that says there are none.
 * - One answer is a status and either `json` (sent as UTF-8) or `html` (sent as ISO-8859-1, as the announcements are).
 *   `json` of `regnskap` is the whole array, whatever a filter would leave of it; so is that of `underenheter`, whatever a page
 *   has of it, and where it is not given it is those that name the company as theirs.
 * - `klass`: SSB's correspondence table 2919 and the code lists of classification 6, each with the days it is valid for
 *   (`validTo` is the first day after, as KLASS writes it). Null or missing gives KLASS's own 404.
 */
export type AnswersCatalogue = {
  companies: ReadonlyMap<string, CompanyAnswers>
  klass: KlassAnswers
}

export type CompanyAnswers = { readonly [Source in CompanySource]?: RegisterAnswer }

export type RegisterAnswer = { status: number; json: unknown } | { status: number; html: string }

export type KlassAnswers = { correspondence: unknown; codeLists: readonly KlassCodeList[] }

type KlassCodeList = { validFrom: string; validTo: string | null; codes: readonly KlassCode[] }

export type KlassCode = { code: string; parentCode: string | null; level: string; name: string }

/** The ordinary answer: 200 and a body. */
export function okAnswer(json: unknown): RegisterAnswer {
  return { status: 200, json }
}
