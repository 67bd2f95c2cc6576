import type { Queryable } from '#src/storage/database.ts'
import { companiesOf } from '#src/storage/search/candidates.ts'
import type { CompanyRow } from '#src/storage/search/rows.ts'
import { type Band, bandOf } from './band.ts'
import { createBudget } from './budget.ts'
import { type FoundCandidates, findByName, findByPhone, findBySite, wideBounds } from './find.ts'
import { noFilters } from './find-any.ts'
import { foldWords } from './fold.ts'
import { hostOf, phoneOf, readQuestion } from './question.ts'
import { type Hit, hitByNumber, inOrder } from './rank.ts'
import { weights } from './weights.ts'

/** What is known of the one company that is looked for; null what is not. At least one is there. */
export type Clues = {
  navn: string | null
  sted: string | null
  nettsted: string | null
  telefon: string | null
  epost: string | null
}

/** Companies that so many clues speak for, and whether they speak for one. */
export async function findOne(
  clues: Clues,
  { db, limitMs }: { db: Queryable; limitMs: number },
): Promise<{ hits: Hit[]; band: Band; isCut: boolean }> {
  const budget = createBudget(limitMs)
  const index = { db, filters: noFilters, budget, bounds: wideBounds }
  const question = clues.navn === null ? null : readQuestion(clues.navn)
  if (question !== null && (question.kind === 'number' || question.kind === 'no_number'))
    return byNumber(question.kind === 'number' ? Number(question.orgnr) : null, db)
  const host = clues.nettsted === null ? null : hostOf(clues.nettsted)
  const mailHost = clues.epost?.includes('@') ? hostOf(clues.epost) : null
  const phone = clues.telefon === null ? null : phoneOf(clues.telefon)

  const named =
    question === null || question.kind === 'phone'
      ? NOTHING
      : await findByName(index, question.name, clues.navn ?? '')
  const contacts = [
    host === null ? NOTHING : await findBySite(index, host),
    mailHost === null || mailHost === host ? NOTHING : await findBySite(index, mailHost),
    phone === null ? NOTHING : await findByPhone(index, phone),
  ]
  const proofs = contacts.filter(
    ({ hits }) => hits.length === 1 && (hits[0]?.matched ?? 0) >= weights.match.site,
  )
  const merged = merge([named, ...contacts])
  const companies = await budget.within(
    () =>
      companiesOf(
        db,
        merged.slice(0, LOOKED_AT_MAX).map(({ orgnr }) => orgnr),
      ),
    new Map(),
  )
  const hits = merged
    .slice(0, LOOKED_AT_MAX)
    .map((hit) => placed(hit, companies.get(hit.orgnr), clues.sted))
    .sort(inOrder)
  const [first] = hits
  if (first === undefined) return { hits, band: 'ingen', isCut: budget.isCut() }
  const whole = bandOf(hits, {
    typed: clues.navn === null ? 'site' : question?.kind === 'name' ? question.name.key : '',
    isCut: budget.isCut(),
  })
  const speaksForOther = proofs.some(({ hits: [only] }) => only?.orgnr !== first.orgnr)
  const isMisplaced = clues.sted !== null && !isPlaced(companies.get(first.orgnr), clues.sted)
  const isAgreed = clues.navn === null || named.hits.some(({ orgnr }) => orgnr === first.orgnr)
  const isSure = whole === 'sikker' && !speaksForOther && isAgreed && !(isMisplaced && proofs.length === 0)
  return { hits, band: isSure ? 'sikker' : 'velg', isCut: budget.isCut() }
}

const NOTHING: FoundCandidates = { hits: [], isAll: true }
const LOOKED_AT_MAX = 50

async function byNumber(
  orgnr: number | null,
  db: Queryable,
): Promise<{ hits: Hit[]; band: Band; isCut: boolean }> {
  const company = orgnr === null ? undefined : (await companiesOf(db, [orgnr])).get(orgnr)
  if (company === undefined) return { hits: [], band: 'ingen', isCut: false }
  return { hits: [hitByNumber(company)], band: 'sikker', isCut: false }
}

/** Each clue adds to what the others said of a company; the one that says most tells why. */
function merge(found: readonly FoundCandidates[]): Hit[] {
  const all = new Map<number, Hit>()
  for (const { hits } of found) {
    for (const hit of hits) {
      const known = all.get(hit.orgnr)
      if (known === undefined) {
        all.set(hit.orgnr, hit)
        continue
      }
      const [more, less] = known.matched >= hit.matched ? [known, hit] : [hit, known]
      const matched = more.matched + less.matched * weights.match.clueToo
      all.set(hit.orgnr, {
        ...more,
        matched,
        points: more.points + less.matched * weights.match.clueToo,
        why: { ...more.why, typos: Math.min(more.why.typos, less.why.typos) },
      })
    }
  }
  return [...all.values()].sort(inOrder)
}

function placed(hit: Hit, company: CompanyRow | undefined, place: string | null): Hit {
  if (place === null || company === undefined) return hit
  const points = isPlaced(company, place) ? weights.match.place : -weights.match.place
  return { ...hit, points: hit.points + points }
}

function isPlaced(company: CompanyRow | undefined, place: string): boolean {
  const wanted = foldWords(place).join('')
  return [company?.town, company?.municipalityName, company?.municipality].some(
    (each) => each !== null && each !== undefined && foldWords(each).join('') === wanted,
  )
}
