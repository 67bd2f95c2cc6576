import { html } from 'ghtml'
import type { Language } from '#src/core/language.ts'
import { holdersIn, personsIn } from '#src/record/person-ids.ts'
import type { Bedrift } from '#src/record/record.ts'

/** Who of those with a role may be among the shareholders; that it is no more than that is said. */
export function samePersons(record: Bedrift, language: Language): string {
  const t = words[language]
  const pairs = possiblySame(record)
  if (pairs.length === 0) return ''
  return html`<h3 class="ds-heading" data-size="2xs">${t.title}</h3>
<ul>!${pairs.map(([role, holder]) => html`<li>${role}: ${holder}</li>`)}</ul>
<p class="ds-paragraph dempet folk__merk">${t.note}</p>`
}

/** The name of each that has a role, and of the shareholder it may be. */
export function possiblySame({
  roller,
  signatur,
  prokura,
  aksjonaerer,
  eierskap,
  muligSammePerson,
}: Bedrift): (readonly [role: string, holder: string])[] {
  const roles = new Map(personsIn([roller, signatur, prokura]).map(({ personId, navn }) => [personId, navn]))
  const holders = new Map(
    holdersIn([aksjonaerer, eierskap]).map(({ aksjonaerId, navn, fodselsaar }) => [
      aksjonaerId,
      navn === null ? null : `${navn}${fodselsaar === null ? '' : `, f. ${fodselsaar}`}`,
    ]),
  )
  return (muligSammePerson ?? []).flatMap(({ personId, aksjonaerId }) => {
    const [role, holder] = [roles.get(personId), holders.get(aksjonaerId)]
    return role && holder ? [[role, holder] as const] : []
  })
}

const words = {
  nb: {
    title: 'Kan være blant aksjonærene, nå eller før',
    note: 'Navn og fødselsår er de samme. To personer kan ha begge deler felles.',
  },
  en: {
    title: 'May be among the shareholders, now or before',
    note: 'The name and the year of birth are the same. Two people may have both in common.',
  },
}
