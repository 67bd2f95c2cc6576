import { type Static, Type } from 'typebox'
import { foldName } from '#src/core/person-name.ts'
import { holdersIn, personsIn } from './person-ids.ts'
import { exactly, Tekst } from './shape.ts'

export const MuligSammePerson = Type.Array(
  exactly({
    personId: Type.String({ description: 'En person i roller.' }),
    aksjonaerId: Type.String({ description: 'En person i aksjonaerer eller eierskap.' }),
    hvorfor: exactly({ kode: Tekst, beskrivelse: Tekst }),
  }),
  {
    description:
      'Rolleinnehavere og aksjonærer som kan være samme person, aldri mer enn det. Skjulte personer er ikke med.',
  },
)
export type MuligSammePerson = Static<typeof MuligSammePerson>

/**
 * Who of those that hold a role may be one of those that hold shares: the words of the name are the same, in whatever order
 * a register writes them, and so is the year of birth. Two people may have both in common.
 */
export function muligSammePerson(roles: unknown, shares: readonly unknown[]): MuligSammePerson {
  const holders = new Map<string, Set<string>>()
  for (const { aksjonaerId, navn, fodselsaar } of shares.flatMap((section) => [...holdersIn(section)])) {
    if (aksjonaerId === null || navn === null || fodselsaar === null) continue
    const key = keyOf(navn, String(fodselsaar))
    holders.set(key, (holders.get(key) ?? new Set()).add(aksjonaerId))
  }
  const found = new Map<string, MuligSammePerson[number]>()
  if (holders.size === 0) return []
  for (const { personId, navn, fodselsdato } of personsIn(roles)) {
    if (personId === null || navn === null || fodselsdato === null) continue
    for (const aksjonaerId of holders.get(keyOf(navn, fodselsdato.slice(0, 4))) ?? []) {
      found.set(`${personId} ${aksjonaerId}`, { personId, aksjonaerId, hvorfor })
    }
  }
  return [...found.values()]
}

export const SAME_PERSON = {
  nb: 'Navn og fødselsår er de samme. To personer kan ha begge deler felles.',
  en: 'Name and year of birth are the same. Two people may have both in common.',
}

const hvorfor = { kode: 'samme_navn_og_fodselsaar', beskrivelse: SAME_PERSON.nb }

function keyOf(navn: string, year: string): string {
  return [year, ...foldName(navn).split(' ').sort()].join(' ')
}
