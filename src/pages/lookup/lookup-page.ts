import { html } from 'ghtml'
import type { Sok, Treff } from '#src/search/answer.ts'
import type { PageContent } from '../layout.ts'
import { stateColor, stateOfCompany } from '../record-view/basics.ts'
import { worded } from '../record-view/wording.ts'
import type { Visitor } from '../visitor.ts'
import { filterFields } from './filter-fields.ts'
import type { Guest } from './guest.ts'
import { guestLine } from './guest-line.ts'
import { aboutText, bandWords, whyText } from './hit-words.ts'
import type { TypedQuery } from './read-query.ts'
import { searchForm } from './search-form.ts'

/** @param found null: nothing was asked for yet; `replaced`: the page after this one is of an index that is no more */
export function lookupPage(
  {
    typed,
    found,
    guest,
    nextUrl,
  }: { typed: TypedQuery; found: Sok | null; guest: Guest; nextUrl: string | null },
  visitor: Visitor,
): PageContent {
  const { language, at } = visitor
  const t = words[language]
  return {
    title: typed.q === '' ? t.title : `${typed.q} – ${t.title}`,
    description: t.description,
    isHidden: typed.q !== '',
    hasOwnSearch: true,
    main: html`<div class="ramme luft">
<h1 class="ds-heading" data-size="lg">${t.title}</h1>
!${searchForm(visitor, { id: 'sok', q: typed.q, isLarge: true, more: filterFields(typed.filters, language) })}
!${guestLine(guest, visitor)}
!${found === null ? beginning(guest, visitor) : results(found, guest, visitor)}
!${nextUrl === null ? '' : html`<p class="knapper"><a class="ds-button" data-variant="secondary" href="${nextUrl}" rel="next">${t.next}</a></p>`}
!${guest.key === null && found !== null ? html`<p class="dempet">${t.real} <a class="ds-link" href="${at('/kjop')}">${t.buy}</a></p>` : ''}
</div>`,
  }
}

function beginning({ key }: Guest, { language, at }: Visitor): string {
  const t = words[language]
  if (key !== null) return html`<p class="ds-paragraph">${t.begin}</p>`
  return html`<p class="ds-paragraph">${t.tryThese} <a class="ds-link" href="${at('/oppslag?q=tindevag')}">tindevag</a>, <a class="ds-link" href="${at('/oppslag?q=ishavskraft')}">ishavskraft</a>. <a class="ds-link" href="${at('/eksempler')}">${t.all}</a></p>`
}

function results(found: Sok, guest: Guest, visitor: Visitor): string {
  const { language, at } = visitor
  const t = words[language]
  const [first] = found.treff
  const count = first === undefined ? t.none : t.count(found.totalt, found.totaltErMinst)
  return html`<section aria-labelledby="treff">
<h2 class="ds-heading treff-tittel" data-size="sm" id="treff">${count}</h2>
<p class="ds-paragraph">${first === undefined ? (guest.key === null ? t.noneInvented : t.noneAdvice) : worded(t.bands, found.visshet)}!${found.avbrutt ? html` ${t.cut}` : ''}!${found.grunnlag === 'register' && guest.key !== null ? html` ${t.fromRegister}` : ''}</p>
!${first === undefined && guest.key === null ? html`<p class="ds-paragraph"><a class="ds-link" href="${at('/eksempler')}">${t.all}</a></p>` : ''}
<ol class="treff">!${found.treff.map((hit, index) => hitItem(hit, index === 0 && found.visshet === 'sikker', visitor))}</ol>
</section>`
}

function hitItem(hit: Treff, isCertain: boolean, { language, at }: Visitor): string {
  const t = words[language]
  const state = hit.foretakstilstand
  return html`<li>
<h3 class="ds-heading" data-size="2xs"><a class="ds-link" href="${at(`/foretak/${hit.organisasjonsnummer}`)}"><bdi>${hit.navn ?? t.nameless}</bdi></a></h3>
<p class="treff__om">${aboutText(hit, language)}!${state === null || state === 'aktiv' ? '' : html` <span class="ds-tag" data-color="${stateColor(state)}">${stateOfCompany(state, language)}</span>`}!${isCertain ? html` <span class="ds-tag" data-color="success">${bandWords[language].sikker}</span>` : ''}</p>
<p class="treff__hvorfor dempet">${whyText(hit, language)}!${hit.naeringskode?.beskrivelse ? html` ${hit.naeringskode.beskrivelse}.` : ''}</p>
</li>`
}

const words = {
  nb: {
    title: 'Slå opp foretak',
    description:
      'Finn et norsk foretak på navn, tidligere navn, organisasjonsnummer, nettsted eller telefon.',
    begin:
      'Skriv et navn, et organisasjonsnummer, et nettsted eller et telefonnummer. Skrivefeil gjør ikke noe.',
    tryThese: 'Prøv for eksempel',
    all: 'Alle de oppdiktede',
    nameless: 'Uten navn',
    none: 'Ingen treff',
    noneAdvice: 'Prøv færre eller andre ord, eller ta bort filtre.',
    noneInvented: 'Ingen av de oppdiktede foretakene heter noe slikt. Virkelige foretak krever nøkkel.',
    count: (total: number, isLeast: boolean) =>
      total === 1 ? '1 treff' : `${isLeast ? 'Minst ' : ''}${total} treff`,
    bands: {
      sikker: 'Det første er nesten sikkert det du mener.',
      velg: 'Ett av disse kan være det du mener: velg selv.',
      ingen: 'Det er ingenting å velge mellom.',
    },
    cut: 'Søket nådde tidsgrensen, og det kan finnes flere og bedre treff.',
    fromRegister: 'Svaret er fra registerets eget navnesøk: tidligere navn og underenheter er ikke med nå.',
    next: 'Flere treff',
    real: 'Virkelige foretak kan slås opp med en nøkkel.',
    buy: 'Kjøp nøkkel',
  },
  en: {
    title: 'Look up a company',
    description: 'Find a Norwegian company by name, former name, organisation number, site or telephone.',
    begin: 'Type a name, an organisation number, a site or a telephone number. Typing errors do no harm.',
    tryThese: 'Try for instance',
    all: 'All the invented ones',
    nameless: 'Nameless',
    none: 'No hits',
    noneAdvice: 'Try fewer or other words, or take filters away.',
    noneInvented: 'None of the invented companies is called anything like it. Real companies need a key.',
    count: (total: number, isLeast: boolean) =>
      total === 1 ? '1 hit' : `${isLeast ? 'At least ' : ''}${total} hits`,
    bands: {
      sikker: 'The first is almost certainly the one you mean.',
      velg: 'One of these may be the one you mean: choose yourself.',
      ingen: 'There is nothing to choose between.',
    },
    cut: 'The search met its time limit, and there may be more and better hits.',
    fromRegister:
      'The answer is from the register’s own search of names: former names and sub-units are not in it now.',
    next: 'More hits',
    real: 'Real companies can be looked up with a key.',
    buy: 'Buy a key',
  },
}
