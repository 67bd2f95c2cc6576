import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { FeedName } from '#src/ops/feed-report.ts'
import type { CompanyAnswers, KlassAnswers } from '#src/samples/answers.ts'
import { invalidInputPage, kunngjoringPage } from '#src/samples/shapes/kunngjoringer.ts'
import { subUnitPage, subUnitsOf } from '#src/samples/shapes/underenheter.ts'
import type { CompanySource } from '#src/sources/index.ts'
import {
  badRequest,
  contentTypeFor,
  htmlReply,
  jsonReply,
  noSuchPath,
  nothingHere,
  type Reply,
  replyOf,
  springError,
} from './reply.ts'
import { search, type Unit } from './search.ts'
import type { StandInSource } from './source.ts'

/** What the registers hold at this moment. */
type Registers = {
  companies: ReadonlyMap<string, CompanyAnswers>
  klass: KlassAnswers
  readFeed(feed: FeedName, url: URL, accept: string | undefined): Reply
}

/** A request understood: which source it asked, about whom, and what that source answers. */
type Asked = { source: StandInSource | 'ukjent'; orgnr: string | null; reply: Reply }

/** The front-end proxy gives up on longer addresses than this, with a page of its own. */
const URL_LENGTH_MAX = 24_000

/**
 * Finds the source behind a path, exactly as the registers' own addresses are written. The whole answer is settled
 * here, when the request arrives: one that is held back says what the register knew at that moment.
 */
export function ask(registers: Registers, url: URL, accept: string | undefined): Asked {
  const unknown = (reply: Reply): Asked => ({ source: 'ukjent', orgnr: null, reply })
  if (url.href.length > URL_LENGTH_MAX)
    return unknown(htmlReply(400, '<html><body>Bad Request</body></html>'))

  for (const { path, answer } of ROUTES) {
    const match = path.exec(url.pathname)
    if (match) return answer(registers, { url, accept, parts: match.slice(1) })
  }
  // The announcements' open-data address is a redirect to a landing page, not a register.
  if (url.pathname.startsWith('/kunngjoring/api')) {
    return unknown({ status: 302, headers: { location: '/omdirigert' }, body: Buffer.alloc(0) })
  }
  return unknown(noSuchPath(url.pathname))
}

type Route = { path: RegExp; answer(registers: Registers, request: Request): Asked }

type Request = { url: URL; accept: string | undefined; parts: string[] }

const UNIT_TYPE = 'application/vnd.brreg.enhetsregisteret.enhet.v2+json'
const SUB_UNIT_TYPE = 'application/vnd.brreg.enhetsregisteret.underenhet.v2+json'
const ROLE_TYPE = 'application/vnd.brreg.enhetsregisteret.rolle.v1+json'
const MANDATE_TYPE = 'application/vnd.brreg.enhetsregisteret.fullmakt.oppslag.v1+json'

const ROUTES: readonly Route[] = [
  { path: /^\/enhetsregisteret\/api\/enheter$/, answer: searchIn('enheter', 'enhet', UNIT_TYPE) },
  {
    path: /^\/enhetsregisteret\/api\/underenheter$/,
    answer: searchIn('underenheter', 'underenhet', SUB_UNIT_TYPE),
  },
  { path: /^\/enhetsregisteret\/api\/(enheter|underenheter)\/lastned$/, answer: bulkFile },
  { path: /^\/enhetsregisteret\/api\/enheter\/([^/]+)$/, answer: lookUp('enhet', UNIT_TYPE) },
  { path: /^\/enhetsregisteret\/api\/underenheter\/([^/]+)$/, answer: lookUp('underenhet', SUB_UNIT_TYPE) },
  { path: /^\/enhetsregisteret\/api\/enheter\/([^/]+)\/roller$/, answer: lookUp('roller', ROLE_TYPE) },
  {
    path: /^\/enhetsregisteret\/api\/konsernstruktur\/([^/]+)$/,
    answer: lookUp('konsern', 'application/json'),
  },
  {
    path: /^\/enhetsregisteret\/api\/roller\/enheter\/([^/]+)\/juridiskeroller$/,
    answer: lookUp('rollerIAndreForetak', 'application/json'),
  },
  { path: /^\/enhetsregisteret\/api\/oppdateringer\/(enheter|underenheter|roller)$/, answer: readFeed },
  { path: /^\/fullmakt\/enheter\/([^/]+)\/signatur$/, answer: lookUp('signatur', MANDATE_TYPE) },
  { path: /^\/fullmakt\/enheter\/([^/]+)\/prokura$/, answer: lookUp('prokura', MANDATE_TYPE) },
  { path: /^\/regnskapsregisteret\/regnskap\/([^/]+)$/, answer: lookUpAccounts },
  {
    path: /^\/regnskapsregisteret\/regnskap\/aarsregnskap\/kopi\/([^/]+)\/aar$/,
    answer: lookUpCopies,
  },
  { path: /^\/kunngjoring\/hent_nr\.jsp$/, answer: showAnnouncements },
  { path: /^\/api\/klass\/v1\/correspondencetables\/2919$/, answer: correspondence },
  { path: /^\/api\/klass\/v1\/classifications\/6\/codesAt$/, answer: codesAt },
]

function lookUp(source: CompanySource, ownType: string): Route['answer'] {
  return (registers, { url, accept, parts: [orgnr = ''] }) => {
    if (!isNineDigits(orgnr)) {
      const message = 'Organisasjonsnummer må bestå av 9 siffer'
      const reply = badRequest(url.pathname, [{ parameter: 'organisasjonsnummer', message, value: orgnr }])
      return { source, orgnr: null, reply }
    }
    const contentType = contentTypeFor(accept, ownType)
    if (contentType === null) {
      return { source, orgnr, reply: jsonReply(415, { status: 415, feilmelding: 'Usupportert media type' }) }
    }
    const answer = registers.companies.get(orgnr)?.[source]
    return { source, orgnr, reply: answer ? replyOf(answer, contentType) : nothingHere() }
  }
}

function searchIn(
  kind: 'enheter' | 'underenheter',
  source: 'enhet' | 'underenhet',
  ownType: string,
): Route['answer'] {
  return (registers, { url, accept }) => {
    const contentType = contentTypeFor(accept, ownType)
    const parent = kind === 'underenheter' ? url.searchParams.get('overordnetEnhet') : null
    if (contentType !== null && parent !== null) return subUnits(registers, parent, url, contentType)
    if (contentType === null) {
      const reply = jsonReply(415, { status: 415, feilmelding: 'Usupportert media type' })
      return { source: 'sok', orgnr: null, reply }
    }
    const units = [...registers.companies.values()].map((answers) => answers[source]).flatMap(liveUnit)
    return { source: 'sok', orgnr: null, reply: search(kind, units, url, contentType) }
  }
}

/** Those of one company, a page at a time; what was set for it in another shape is sent as it is. */
function subUnits({ companies }: Registers, orgnr: string, url: URL, contentType: string): Asked {
  const source = 'underenheter'
  const set = companies.get(orgnr)?.underenheter
  if (set !== undefined && !('json' in set && Array.isArray(set.json)))
    return { source, orgnr, reply: replyOf(set, contentType) }
  const page = subUnitPage(orgnr, subUnitsOf(companies, orgnr), Object.fromEntries(url.searchParams))
  return { source, orgnr, reply: jsonReply(200, page, contentType) }
}

/** All live units of a kind, as the nightly file has them: an array, gzipped, in which everything says that it is an `Enhet`. */
function bulkFile(registers: Registers, { parts }: Request): Asked {
  const file = parts[0] as 'enheter' | 'underenheter'
  const source = file === 'enheter' ? 'enhet' : 'underenhet'
  const units = [...registers.companies.values()].map((answers) => answers[source]).flatMap(liveUnit)
  const bulk = units.map(({ _links, ...unit }) => ({ ...unit, respons_klasse: 'Enhet', links: [] }))
  const body = gzipSync(JSON.stringify(bulk, null, 2))
  // Bare hex digits, unlike what an ETag should be.
  const etag = createHash('md5').update(JSON.stringify(bulk)).digest('hex')
  return {
    source: `totalbestand/${file}`,
    orgnr: null,
    reply: { status: 200, headers: { 'content-type': 'application/gzip', etag }, body },
  }
}

function liveUnit(answer: CompanyAnswers['enhet']): Unit[] {
  if (answer?.status !== 200 || !('json' in answer)) return []
  const unit = answer.json as Unit
  return String(unit.respons_klasse).startsWith('Slettet') ? [] : [unit]
}

function readFeed(registers: Registers, { url, accept, parts }: Request): Asked {
  const feed = parts[0] as FeedName
  return { source: `oppdateringer/${feed}`, orgnr: null, reply: registers.readFeed(feed, url, accept) }
}

/** `år` is the year the period ends in. A filter that leaves nothing is answered like a company without accounts. */
function lookUpAccounts(registers: Registers, { url, parts: [orgnr = ''] }: Request): Asked {
  const source = 'regnskap'
  if (!isNineDigits(orgnr)) {
    const reply = springError(400, 'Bad Request', 'Ugyldig organisasjonsnummer', url.pathname)
    return { source, orgnr: null, reply }
  }
  const answer = registers.companies.get(orgnr)?.regnskap
  if (answer === undefined) return { source, orgnr, reply: nothingHere() }
  if (answer.status !== 200 || !('json' in answer)) return { source, orgnr, reply: replyOf(answer) }

  const year = url.searchParams.get('år')
  const type = url.searchParams.get('regnskapstype')
  const filings = (answer.json as Filing[]).filter(
    (filing) =>
      (year === null || filing.regnskapsperiode.tilDato.startsWith(year)) &&
      (type === null || filing.regnskapstype === type),
  )
  return { source, orgnr, reply: filings.length > 0 ? jsonReply(200, filings) : nothingHere() }
}

/** A number nobody has heard of has no copies: that is a list like any other. */
function lookUpCopies({ companies }: Registers, { url, parts: [orgnr = ''] }: Request): Asked {
  const source = 'regnskapskopier'
  if (!isNineDigits(orgnr)) {
    const reply = springError(400, 'Bad Request', 'Ugyldig organisasjonsnummer', url.pathname)
    return { source, orgnr: null, reply }
  }
  const answer = companies.get(orgnr)?.regnskapskopier
  return { source, orgnr, reply: answer ? replyOf(answer) : jsonReply(200, []) }
}

type Filing = { regnskapstype: string; regnskapsperiode: { tilDato: string } }

/** Always status 200, whatever is wrong. */
function showAnnouncements(registers: Registers, { url }: Request): Asked {
  const source = 'kunngjoringer'
  const orgnr = url.searchParams.get('orgnr') ?? ''
  if (!isNineDigits(orgnr)) return { source, orgnr: null, reply: htmlReply(200, invalidInputPage()) }
  const answer = registers.companies.get(orgnr)?.kunngjoringer
  return { source, orgnr, reply: answer ? replyOf(answer) : htmlReply(200, kunngjoringPage(orgnr, [])) }
}

function correspondence({ klass }: Registers): Asked {
  const reply = klass.correspondence === null ? klassNotFound() : jsonReply(200, klass.correspondence)
  return { source: 'klass', orgnr: null, reply }
}

function codesAt({ klass }: Registers, { url }: Request): Asked {
  const date = url.searchParams.get('date') ?? ''
  const answered = (reply: Reply): Asked => ({ source: 'klass', orgnr: null, reply })
  if (!/^\d{4}-\d\d-\d\d$/.test(date)) {
    return answered(jsonReply(400, { status: 400, error: 'date må være yyyy-MM-dd' }))
  }
  const list = klass.codeLists.find(
    ({ validFrom, validTo }) => validFrom <= date && (validTo === null || date < validTo),
  )
  return answered(list ? jsonReply(200, { codes: list.codes }) : klassNotFound())
}

function klassNotFound(): Reply {
  return jsonReply(404, { status: 404, error: 'Not Found' })
}

function isNineDigits(text: string): boolean {
  return /^\d{9}$/.test(text)
}
