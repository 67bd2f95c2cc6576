import type { AnswersCatalogue } from '../answers.ts'
import { LINK_BASE } from './enhet.ts'

type Unit = Readonly<Record<string, unknown>>

/** A company's live sub-units: those that are listed for it, else those that name it as theirs. */
export function subUnitsOf(companies: AnswersCatalogue['companies'], orgnr: string): readonly Unit[] {
  const listed = companies.get(orgnr)?.underenheter
  if (listed !== undefined && 'json' in listed && Array.isArray(listed.json)) return listed.json
  return [...companies.values()].flatMap(({ underenhet }): Unit[] => {
    if (underenhet?.status !== 200 || !('json' in underenhet)) return []
    const unit = underenhet.json as Unit
    return unit.overordnetEnhet === orgnr && unit.respons_klasse === 'Underenhet' ? [unit] : []
  })
}

/** A page of them as the register gives it: one that has none lists nothing at all. */
export function subUnitPage(
  orgnr: string,
  units: readonly Unit[],
  { size = '20', page = '0' }: Readonly<Record<string, string | undefined>>,
) {
  const [most, number] = [Number(size), Number(page)]
  const shown = units.slice(number * most, (number + 1) * most)
  return {
    ...(shown.length > 0 && { _embedded: { underenheter: shown } }),
    _links: {
      self: { href: `${LINK_BASE}/underenheter?overordnetEnhet=${orgnr}&size=${most}&page=${number}` },
    },
    page: { size: most, totalElements: units.length, totalPages: Math.ceil(units.length / most), number },
  }
}
