import { html } from 'ghtml'
import type { Language } from '#src/core/language.ts'
import type { Konsern, Konsernforetak, Konsernledd } from '#src/record/sections/konsern.ts'
import { type LinkTo, linked } from './link-to.ts'
import { orgnrText } from './wording.ts'

/** The group as the register has it: from the top down to the company, what is directly under it, and where shares say otherwise. */
export function group(konsern: Konsern, language: Language, linkTo: LinkTo): string {
  const t = words[language]
  const { konsernspiss, sti, under, motEierskap, antallPlasser } = konsern
  const name = ({ navn, organisasjonsnummer }: Konsernforetak) =>
    linked(navn ?? organisasjonsnummer ?? t.unknown, organisasjonsnummer, linkTo)
  const row = (each: Konsernledd) =>
    html`<li>!${name(each)} <span class="dempet">${each.grunnlag?.tekst ?? ''}</span></li>`
  const differs = [
    motEierskap?.sammeKonsernspiss === false ? html`${t.otherTop}` : '',
    ...(motEierskap?.bareHer ?? []).map(
      (orgnr) => html`!${linked(orgnrText(orgnr), orgnr, linkTo)}: ${t.notByShares}`,
    ),
    ...(motEierskap?.bareIEierskap ?? []).map(
      (orgnr) => html`!${linked(orgnrText(orgnr), orgnr, linkTo)}: ${t.onlyByShares}`,
    ),
  ].filter((text) => text !== '')
  return html`<p class="ds-paragraph">${t.top}: !${name(konsernspiss)} (${t.places(antallPlasser)})</p>
!${sti === null || sti.length === 0 ? '' : html`<h3 class="ds-heading" data-size="2xs">${t.path}</h3><ol>!${sti.map(row)}</ol>`}
!${under === null || under.length === 0 ? '' : html`<h3 class="ds-heading" data-size="2xs">${t.below}</h3><ul>!${under.map(row)}</ul>`}
!${differs.length === 0 ? '' : html`<h3 class="ds-heading" data-size="2xs">${t.differs}</h3><ul>!${differs.map((text) => html`<li>!${text}</li>`)}</ul>`}`
}

const words = {
  nb: {
    top: 'Konsernspiss',
    places: (count: number) => `${count} ${count === 1 ? 'plass' : 'plasser'} i konsernet`,
    path: 'Fra konsernspissen til foretaket',
    below: 'Direkte under',
    differs: 'Aksjene sier noe annet',
    otherTop: 'En annen konsernspiss.',
    notByShares: 'i konsernet, men ikke mer enn halvparten av aksjene',
    onlyByShares: 'mer enn halvparten av aksjene, men ikke i konsernet',
    unknown: 'ukjent',
  },
  en: {
    top: 'Top parent',
    places: (count: number) => `${count} ${count === 1 ? 'place' : 'places'} in the group`,
    path: 'From the top parent to the company',
    below: 'Directly below',
    differs: 'The shares say otherwise',
    otherTop: 'Another top parent.',
    notByShares: 'in the group, but no more than half of the shares',
    onlyByShares: 'more than half of the shares, but not in the group',
    unknown: 'unknown',
  },
}
