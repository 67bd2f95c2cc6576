import { html } from 'ghtml'
import type { SeenCompany } from '#src/ops/company.ts'
import type { Operator } from '#src/ops/operators.ts'
import type { Deed } from '#src/storage/operator-trail.ts'
import { cellText, changeForm, dataTable, duration, layout, tag, timeText } from './layout.ts'
import { deedRows, TRAIL_HEADINGS } from './trail.ts'

export function operatorsCompanyPage(page: {
  /** false: what is held is this process's own. */
  hasRedis: boolean
  operator: Operator
  company: SeenCompany | null
  deeds: readonly Deed[]
  typed: string
  told: string | null
  fault: string | null
}): string {
  const { operator, company, typed, told, fault, deeds } = page
  const body = [
    told === null ? '' : html`<div class="ds-alert" data-color="success" role="status">${told}</div>`,
    fault === null ? '' : html`<div class="ds-alert" data-color="danger" role="alert">${fault}</div>`,
    html`<form method="get" action="/foretak" class="endring"><div class="ds-field"><label class="ds-label" for="orgnr">Organisasjonsnummer</label>
<input class="ds-input" id="orgnr" name="orgnr" value="${typed}" inputmode="numeric" required maxlength="20"></div><button class="ds-button">Vis</button></form>`,
    company === null ? '' : held(company, page.hasRedis),
    company === null || company.erFjernet ? '' : changes(operator, company.organisasjonsnummer),
    company === null ? '' : dataTable('Gjort av operatører', TRAIL_HEADINGS, deedRows(deeds)),
  ].join('\n')
  return layout({ title: 'Foretak', operator, path: '/foretak' }, body)
}

function held(
  { organisasjonsnummer, erFjernet, holdt, svar, hendelser }: SeenCompany,
  hasRedis: boolean,
): string {
  if (erFjernet)
    return html`<p class="ds-paragraph">${organisasjonsnummer} er fjernet på rettslig grunnlag. Ingenting holdes.</p>`
  const rows = holdt.map((each) => [
    cellText(each.seksjon),
    tag(each.tilstand, STATES[each.tilstand].colour),
    cellText((ANSWERS as Readonly<Record<string, string>>)[each.svar] ?? each.svar),
    cellText(duration(each.alderS)),
    timeText(each.hentet),
    timeText(each.ferskTil),
    timeText(each.visesTil),
  ])
  return [
    dataTable(
      hasRedis
        ? `Holdt om ${organisasjonsnummer}, her og i Redis`
        : `Holdt om ${organisasjonsnummer} i denne prosessen`,
      ['Seksjon', 'Tilstand', 'Svar', 'Alder', 'Hentet', 'Fersk til', 'Vises til'],
      rows,
    ),
    why(holdt),
    svar === null
      ? html`<p class="ds-paragraph">Intet ferdig svar er klart i denne prosessen.</p>`
      : html`<p class="ds-paragraph">Et ferdig svar er klart her, ${svar.erUtdatert ? 'utdatert' : 'ferskt'}; eldste del er hentet !${timeText(svar.hentetEldst)}.</p>`,
    dataTable(
      'Siste hendelser i registrenes feeder som traff noe som var holdt',
      ['Lest', 'Seksjoner'],
      hendelser.map(({ lest, seksjoner }) => [timeText(lest), cellText(seksjoner.join(', '))]),
    ),
  ].join('\n')
}

/** Why what is held is as old as it is, for the states there are. */
function why(holdt: SeenCompany['holdt']): string {
  const states = [...new Set(holdt.map(({ tilstand }) => tilstand))]
  if (states.length === 0) return ''
  const each = states.map((state) => html`<li><strong>${state}</strong>: !${STATES[state].why}</li>`)
  return html`<ul class="ds-list">!${each}</ul>`
}

const STATES = {
  fersk: {
    colour: 'success',
    why: 'vises som det er til tiden i «Fersk til»; den følger av <a class="ds-link" href="/levetider">levetidene</a>. En endring i registeret ville vist seg i hendelsene under.',
  },
  utdatert: {
    colour: 'warning',
    why: 'vises med merke til «Vises til». Ingen har lest det siden det gikk ut, noen har foreldet det, eller <a class="ds-link" href="/">kilden svarer ikke</a>. Neste leser setter i gang en ny henting.',
  },
  'bare kjent': {
    colour: 'neutral',
    why: 'for gammelt til å vises. Neste leser venter på kilden.',
  },
} as const satisfies Record<SeenCompany['holdt'][number]['tilstand'], { colour: string; why: string }>

const ANSWERS = {
  found: 'funnet',
  absent: 'finnes ikke',
  removed: 'fjernet',
  unsupported: 'gjelder ikke',
}

function changes(operator: Operator, orgnr: string): string {
  if (operator.rolle !== 'skrive') return ''
  const field = html`<div class="ds-field"><label class="ds-label" for="bekreft">Skriv organisasjonsnummeret en gang til</label><input class="ds-input" id="bekreft" name="bekreft" required inputmode="numeric" autocomplete="off"></div>`
  return html`<h2 class="ds-heading" data-size="sm">Gjør noe</h2>
<div class="valg">
<section><h3>Oppfrisk</h3><p>Spør registrene om alt som holdes.</p>!${changeForm({ operator, action: '/foretak/oppfrisk', button: 'Oppfrisk' }, { orgnr })}</section>
<section><h3>Foreld</h3><p>Vis kopiene som utdatert mens kildene spørres.</p>!${changeForm({ operator, action: '/foretak/foreld', button: 'Foreld' }, { orgnr })}</section>
<section><h3>Glem</h3><p>Glem kopiene helt. Neste leser venter på kildene.</p>!${changeForm({ operator, action: '/foretak/glem', button: 'Glem' }, { orgnr })}</section>
<section><h3>Slett for godt</h3><p>Foretaket svares som fjernet (410) fra nå av. Dette kan ikke gjøres om.</p>!${changeForm({ operator, action: '/foretak/slett', button: 'Slett for godt', isDanger: true }, { orgnr }, field)}</section>
</div>`
}
