import type { Queryable } from '#src/storage/database.ts'
import { companiesOf, type Filters } from '#src/storage/search/candidates.ts'
import { type Band, bandOf } from './band.ts'
import { createBudget, type TimeBudget } from './budget.ts'
import { type FoundCandidates, findByName, findByPhone, findBySite, wideBounds } from './find.ts'
import { readName } from './name.ts'
import { labelOf, type TypedQuestion } from './question.ts'
import { hitByNumber } from './rank.ts'

export type AnyFound = FoundCandidates & { band: Band; isCut: boolean }

export const noFilters: Filters = {
  organisasjonsform: null,
  kommune: null,
  fylke: null,
  naeringskoder: null,
  ansatteFra: null,
  ansatteTil: null,
  foretakstilstand: null,
  registrertFra: null,
  registrertTil: null,
  type: null,
}

/** What a question finds in the index, and how sure that is. A number is looked up, and never compared. */
export async function findAny(
  question: TypedQuestion,
  filters: Filters,
  { db, limitMs }: { db: Queryable; limitMs: number },
): Promise<AnyFound> {
  const budget = createBudget(limitMs)
  const index = { db, filters, budget, bounds: wideBounds }
  switch (question.kind) {
    case 'no_number':
      return { hits: [], isAll: true, band: 'ingen', isCut: false }
    case 'number':
      return someFound(await byNumber(Number(question.orgnr), index), question.orgnr, budget)
    case 'phone':
      return someFound(await findByPhone(index, question.phone), question.phone, budget)
    case 'site': {
      const bySite = await findBySite(index, question.host)
      if (bySite.hits.length > 0) return someFound(bySite, question.host, budget)
      // Nobody has the site; a company may be called so. Its host's own word alone proves nothing.
      const byName = await findByName(index, question.name, question.host)
      const whole = someFound(byName, question.host, budget)
      if (byName.hits.length > 0) return whole
      const byLabel = someFound(
        await findByName(index, readName(labelOf(question.host)), question.host),
        '',
        budget,
      )
      return { ...byLabel, band: byLabel.band === 'sikker' ? 'velg' : byLabel.band }
    }
    case 'name':
      return someFound(await findByName(index, question.name, question.text), question.name.key, budget)
  }
}

function someFound(some: FoundCandidates, typed: string, budget: TimeBudget): AnyFound {
  const isCut = budget.isCut()
  return { ...some, isCut, band: bandOf(some.hits, { typed, isCut }) }
}

async function byNumber(
  orgnr: number,
  { db, budget }: { db: Queryable; budget: TimeBudget },
): Promise<FoundCandidates> {
  const companies = await budget.within(() => companiesOf(db, [orgnr]), new Map())
  const company = companies.get(orgnr)
  return { hits: company === undefined ? [] : [hitByNumber(company)], isAll: true }
}
