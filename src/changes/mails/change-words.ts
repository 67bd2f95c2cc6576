import type { Words } from '#src/core/language.ts'
import type { ChangesMail } from '#src/mail/templates/changes.ts'
import type { Change } from '#src/storage/changes/change-log.ts'
import { changeTypes } from '../change-types.ts'

const titles = new Map<string, Words>(changeTypes.map(({ type, title }) => [type, title]))

/** What a change is called; one that only another release knows by its type. */
export function titleOf(type: string): Words {
  return titles.get(type) ?? { nb: type, en: type }
}

/** What kind of change, and what it was and is where that is one short value. */
function toldOf({ type, felt }: Pick<Change, 'type' | 'felt'>): Words {
  const title = titleOf(type)
  const [only, ...others] = felt
  const values = only === undefined || others.length > 0 ? '' : valuesOf(only.for, only.etter)
  return { nb: title.nb + values, en: title.en + values }
}

function valuesOf(before: unknown, after: unknown): string {
  const both = [before, after].map((value) => (isShort(value) ? String(value) : null))
  return both.includes(null) ? '' : ` (${both.join(' → ')})`
}

function isShort(value: unknown): value is string | number {
  return (
    typeof value === 'number' || (typeof value === 'string' && value !== '' && value.length <= LETTERS_MAX)
  )
}

const LETTERS_MAX = 80

/** By company, in the order they were first seen. */
export function companiesOfChanges(
  changes: readonly (Change & { navn: string | null })[],
  names: ReadonlyMap<number, { name: string | null }>,
): ChangesMail['companies'] {
  const companies = new Map<string, { orgnr: string; name: string | null; changes: Words[] }>()
  for (const change of changes) {
    const { orgnr, navn } = change
    const company = companies.get(orgnr) ?? {
      orgnr,
      name: navn ?? names.get(Number(orgnr))?.name ?? null,
      changes: [],
    }
    company.changes.push(toldOf(change))
    companies.set(orgnr, company)
  }
  return [...companies.values()]
}
