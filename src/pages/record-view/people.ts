import { html } from 'ghtml'
import type { Language } from '#src/core/language.ts'
import type { Bedrift } from '#src/record/record.ts'
import type { Fullmakt } from '#src/record/sections/fullmakt.ts'
import type { Rolle, Roller } from '#src/record/sections/roller.ts'
import { type LinkTo, linked } from './link-to.ts'
import { missing } from './section-state.ts'

/** Who leads and who sits on the board. Of a birth date the year is shown: it is enough to tell two apart. */
export function people(data: Roller, language: Language, linkTo: LinkTo): string {
  const t = words[language]
  const {
    dagligLeder,
    styre,
    revisor,
    regnskapsforer,
    innehaver,
    deltakere,
    bostyrer,
    kontaktperson,
    ovrige,
    uavklart,
  } = data
  const listed = (...lists: (Rolle[] | null)[]) => lists.flatMap((list) => list ?? [])
  return html`<div class="folk">
!${group(t.lead, listed(innehaver, deltakere, dagligLeder), language, linkTo)}
!${group(t.board, listed(...Object.values(styre)), language, linkTo)}
!${group(t.estate, listed(bostyrer), language, linkTo)}
!${group(t.audit, listed(revisor, regnskapsforer), language, linkTo)}
!${group(t.others, listed(kontaktperson, ovrige), language, linkTo)}
!${group(t.unclear, uavklart, language, linkTo)}
</div>`
}

/** Who may sign for the company. */
export function authorities(record: Bedrift, language: Language): string {
  const t = words[language]
  const rows = (['signatur', 'prokura'] as const).map((name) => {
    const { data } = record[name]
    return html`<div><dt>${t[name]}</dt><dd>!${data === null ? missing(record, name, language) : html`${authorityText(data, language)}`}</dd></div>`
  })
  return html`<dl class="fakta fakta--fullmakt">!${rows}</dl>`
}

function group(title: string, roles: readonly Rolle[], language: Language, linkTo: LinkTo): string {
  if (roles.length === 0) return ''
  const t = words[language]
  return html`<div><h3 class="ds-heading" data-size="2xs">${title}</h3>
<ul>!${roles.map(({ rolle, rolleinnehaver, valgtAvAnsatte }) => {
    const born =
      rolleinnehaver.type === 'person' && rolleinnehaver.fodselsdato !== null
        ? t.born(rolleinnehaver.fodselsdato.slice(0, 4))
        : ''
    const about = [rolle?.beskrivelse ?? rolle?.kode ?? '', born, valgtAvAnsatte ? t.byEmployees : '']
    return html`<li><span class="folk__navn">!${linked(rolleinnehaver.navn ?? t.unknown, rolleinnehaver.type === 'enhet' ? rolleinnehaver.organisasjonsnummer : null, linkTo)}</span> <span class="dempet">${about.filter((part) => part !== '').join(', ')}</span></li>`
  })}</ul></div>`
}

/** The rule's own text; else what its combinations say, with whom they name; else where the law begins. */
export function authorityText(authority: Fullmakt, language: Language): string {
  const t = words[language]
  const { registrert, fritekst, kombinasjoner, lovensUtgangspunkt } = authority
  if (registrert === false) return t.none
  const told = (list: Fullmakt['kombinasjoner']) =>
    (list ?? [])
      .flatMap(({ kombinasjon, personer }) => {
        const named = (personer ?? []).flatMap(({ navn }) => navn ?? []).join(', ')
        const told = kombinasjon?.beskrivelse ?? ''
        return told === '' ? named : named === '' ? told : `${told}: ${named}`
      })
      .filter((each) => each !== '')
      .join('. ')
  const byLaw = told(lovensUtgangspunkt)
  return (fritekst ?? told(kombinasjoner)) || (byLaw === '' ? t.unknown : `${t.byLaw} ${byLaw}`)
}

const words = {
  nb: {
    lead: 'Ledelse',
    board: 'Styre',
    estate: 'Bostyrer',
    audit: 'Revisor og regnskapsfører',
    others: 'Andre',
    unclear: 'Ukjent om de fortsatt har rollen',
    signatur: 'Signatur',
    prokura: 'Prokura',
    none: 'Ingen registrert',
    byLaw: 'Ingen standardisert regel. Lovens utgangspunkt:',
    unknown: 'Ukjent',
    byEmployees: 'valgt av de ansatte',
    born: (year: string) => `f. ${year}`,
  },
  en: {
    lead: 'Management',
    board: 'Board',
    estate: 'Administrator of the estate',
    audit: 'Auditor and accountant',
    others: 'Others',
    unclear: 'Not known whether they still hold the role',
    signatur: 'Who may sign',
    prokura: 'Prokura',
    none: 'None registered',
    byLaw: 'No standardised rule. By law:',
    unknown: 'Unknown',
    byEmployees: 'elected by the employees',
    born: (year: string) => `b. ${year}`,
  },
}
