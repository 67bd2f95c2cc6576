import type { CompanySource } from '#src/sources/index.ts'
import type { AnswersCatalogue, KlassAnswers, RegisterAnswer } from './answers.ts'
import { kunngjoringPage } from './shapes/kunngjoringer.ts'
import { subUnitPage, subUnitsOf } from './shapes/underenheter.ts'
import { TROUBLED_STATUS, troubles } from './troubles.ts'

/** One whole answer as a register's client hands it on. */
type Response = {
  status: number
  contentType: string | null
  body: Buffer
  retryAfterSeconds: null
  fetchedAt: Date
}

/**
 * The sample registers as a client of registers sees them, without a network: what each source is asked for is answered from
 * the catalogue, with the status, type and bytes the register would send. They know nothing of feeds.
 *
 * @param now when it is asked
 */
export function createSampleRegisters({ companies, klass }: AnswersCatalogue, now: () => Date) {
  function answerOf(source: string, path: string, query: Readonly<Record<string, string>>): RegisterAnswer {
    if (source === 'sok') return searchAnswer(companies, query)
    if (source === 'klass') return klassAnswer(klass, path, query.date ?? '')
    const orgnr = query.orgnr ?? query.overordnetEnhet ?? /\d{9}/.exec(path)?.[0] ?? ''
    const isAway = troubles.some(
      (trouble) => trouble.orgnr === orgnr && trouble.source === source && !trouble.hasCopy,
    )
    if (isAway) return { status: TROUBLED_STATUS, json: null }
    const answer = companies.get(orgnr)?.[source as CompanySource]
    if (source === 'underenheter' && (answer === undefined || hasList(answer)))
      return { status: 200, json: subUnitPage(orgnr, subUnitsOf(companies, orgnr), query) }
    if (answer !== undefined) return answer
    if (source === 'regnskapskopier') return { status: 200, json: [] }
    return source === 'kunngjoringer'
      ? { status: 200, html: kunngjoringPage(orgnr, []) }
      : { status: 404, html: '' }
  }

  return {
    async get(
      source: string,
      path: string,
      { query = {} }: { query?: Record<string, string> },
    ): Promise<Response> {
      const answer = answerOf(source, path, query)
      const [contentType, body] =
        'html' in answer
          ? (['text/html;charset=ISO-8859-1', Buffer.from(answer.html, 'latin1')] as const)
          : (['application/json;charset=UTF-8', Buffer.from(JSON.stringify(answer.json))] as const)
      return { status: answer.status, contentType, body, retryAfterSeconds: null, fetchedAt: now() }
    },
    leave(): void {},

    async close(): Promise<void> {},
  }
}

function hasList(answer: RegisterAnswer): boolean {
  return answer.status === 200 && 'json' in answer && Array.isArray(answer.json)
}

/** Main units by name: the text as it runs, or any of its words. */
function searchAnswer(
  companies: AnswersCatalogue['companies'],
  { navn = '', navnMetodeForSoek, size = '20' }: Readonly<Record<string, string>>,
): RegisterAnswer {
  const text = navn.toUpperCase()
  const words = navnMetodeForSoek === undefined ? text.split(/\s+/).filter((word) => word !== '') : [text]
  const found = [...companies.values()].flatMap(({ enhet }) => {
    if (enhet === undefined || !('json' in enhet) || enhet.status !== 200) return []
    const { navn: name = '' } = enhet.json as { navn?: string }
    return words.some((word) => name.includes(word)) ? [enhet.json] : []
  })
  const page = { totalElements: found.length }
  if (found.length === 0) return { status: 200, json: { page } }
  return { status: 200, json: { _embedded: { enheter: found.slice(0, Number(size)) }, page } }
}

function klassAnswer(
  { correspondence, codeLists }: KlassAnswers,
  path: string,
  date: string,
): RegisterAnswer {
  if (path.includes('/correspondencetables/')) return { status: 200, json: correspondence }
  const list = codeLists.find(
    ({ validFrom, validTo }) => validFrom <= date && (validTo === null || date < validTo),
  )
  return list === undefined ? { status: 404, json: null } : { status: 200, json: { codes: list.codes } }
}
