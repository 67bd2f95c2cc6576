import { html } from 'ghtml'
import type { Estimate } from '#src/ops/estimate.ts'
import type { Operator } from '#src/ops/operators.ts'
import type { Tunable } from '#src/ops/tunables.ts'
import type { TuningState } from '#src/ops/tuning.ts'
import {
  cellText,
  changeForm,
  dataTable,
  decimalText,
  duration,
  layout,
  shareText,
  timeText,
} from './layout.ts'

/** A proposed change, and what the last day would have cost under it. */
export type Proposal = {
  name: string
  value: number
  base: number
  hours: number
  estimates: (Estimate & { kilde: string })[]
}

export function lifetimesPage(page: {
  operator: Operator
  tunables: readonly Tunable[]
  state: TuningState
  proposal: Proposal | null
  fault: string | null
}): string {
  const { operator, tunables, state, proposal, fault } = page
  const body = [
    fault === null ? '' : html`<div class="ds-alert" data-color="danger" role="alert">${fault}</div>`,
    state.isBroken
      ? html`<div class="ds-alert" data-color="danger">Versjon ${String(state.newest)} kan ikke brukes. Versjon ${String(state.current.versjon)} gjelder.</div>`
      : '',
    proposal === null ? '' : proposalPart(operator, proposal, tunables),
    operator.rolle === 'skrive' ? propose(state, tunables) : '',
    values(state, tunables),
    history(state),
    state.newest > 0
      ? `<h2 class="ds-heading" data-size="sm">Rull tilbake</h2><p class="ds-paragraph">Det som gjaldt før den nyeste endringen, gjelder igjen.</p>${changeForm({ operator, action: '/levetider/rull-tilbake', button: 'Rull tilbake ett steg' }, { base: String(state.newest) })}`
      : '',
  ].join('\n')
  return layout({ title: 'Levetider', operator, path: '/levetider' }, body)
}

function values({ current, newest }: TuningState, tunables: readonly Tunable[]): string {
  const rows = tunables.map((tunable) => {
    const tuned = current.verdier[tunable.name]
    return [
      html`${tunable.about}<br><code>${tunable.name}</code>`,
      tuned === undefined
        ? cellText(say(tunable, tunable.standard))
        : html`<strong>${say(tunable, tuned)}</strong>`,
      cellText(say(tunable, tunable.standard)),
      cellText(`${say(tunable, tunable.least)} – ${say(tunable, tunable.most)}`),
    ]
  })
  return dataTable(
    `Det som gjelder (versjon ${String(newest)})`,
    ['Hva', 'Nå', 'Programmets', 'Grenser'],
    rows,
  )
}

function propose({ newest }: TuningState, tunables: readonly Tunable[]): string {
  const options = tunables
    .map(
      ({ name, about, unit }) =>
        html`<option value="${name}">${about}!${unit === 's' ? '' : html` (${unit})`}</option>`,
    )
    .join('')
  return html`<h2 class="ds-heading" data-size="sm">Endre</h2>
<form method="get" action="/levetider" class="endring">
<input type="hidden" name="base" value="${String(newest)}">
<div class="ds-field"><label class="ds-label" for="navn">Hva</label><select class="ds-input" id="navn" name="navn">!${options}</select></div>
<div class="ds-field"><label class="ds-label" for="verdi">Ny verdi</label><p data-field="description" id="verdi-hva">Tid: 14 d, 12 t, 30 min, eller sekunder. Budsjett: kall i sekundet, også 0,5.</p>
<input class="ds-input" id="verdi" name="verdi" aria-describedby="verdi-hva" autocomplete="off" maxlength="20" required></div>
<button class="ds-button" data-variant="secondary">Vis hva det ville kostet</button>
</form>`
}

function proposalPart(operator: Operator, proposal: Proposal, tunables: readonly Tunable[]): string {
  const { name, value, base, hours, estimates } = proposal
  const tunable = tunables.find((each) => each.name === name)
  if (tunable === undefined) return ''
  const rows = estimates.map((each) => [
    cellText(each.kilde),
    cellText(each.callsNow),
    cellText(each.callsProposed),
    cellText(duration(each.olderThanS)),
    cellText(shareText(each.shareOlderNow)),
    cellText(shareText(each.shareOlderProposed)),
  ])
  const counted =
    estimates.length === 0
      ? html`<p class="ds-paragraph">Et budsjett begrenser hvor mange kall i sekundet som gjøres i bakgrunnen; hvor mange det blir, avgjøres av levetidene.</p>`
      : dataTable(
          `Hva det siste døgnet ville kostet (målt i ${decimalText(hours, 1)} timer)`,
          [
            'Kilde',
            'Kall per døgn nå',
            'Kall per døgn da',
            'Eldre enn',
            'Andel svar eldre nå',
            'Andel svar eldre da',
          ],
          rows,
        )
  return html`<section class="forslag" aria-label="Forslag"><h2 class="ds-heading" data-size="sm">Forslag: ${name} = ${say(tunable, value)}</h2>
!${counted}
!${estimates.length > 0 && hours < HOURS_ENOUGH ? html`<p class="ds-paragraph dempet">Det er talt for kort til å si noe sikkert om et døgn.</p>` : ''}
!${changeForm({ operator, action: '/levetider', button: 'Lagre' }, { navn: name, verdi: String(value), base: String(base) })}</section>`
}

function history({ history: versions }: TuningState): string {
  return dataTable(
    'Endringer',
    ['Versjon', 'Når', 'Hvem', 'Hvorfor', 'Verdier som er stilt'],
    versions
      .slice(0, 20)
      .map(({ versjon, satt, hvem, hvorfor, verdier }) => [
        cellText(`nr. ${versjon}`),
        timeText(satt),
        cellText(hvem),
        cellText(hvorfor),
        cellText(verdier === null ? 'kan ikke brukes' : said(verdier)),
      ]),
  )
}

function said(verdier: Readonly<Record<string, number | undefined>>): string {
  const all = Object.entries(verdier).map(([name, value]) => `${name}=${value}`)
  return all.join(', ') || 'ingen'
}

function say({ unit }: Tunable, value: number): string {
  return unit === 's' ? duration(value) : `${String(value).replace('.', ',')} ${unit}`
}

/** Below it a day is mostly guessed. */
const HOURS_ENOUGH = 6
