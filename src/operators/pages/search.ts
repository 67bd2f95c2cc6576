import { html } from 'ghtml'
import type { Operator } from '#src/ops/operators.ts'
import type { SearchIndexSeen } from '#src/ops/search-index.ts'
import { cellText, dataTable, duration, layout, shareText, timeText } from './layout.ts'

export function searchPage({ operator, seen }: { operator: Operator; seen: SearchIndexSeen }): string {
  return layout({ title: 'Søkeindeks', operator, path: '/sok' }, [read(seen), building(seen)].join('\n'))
}

function read({ skalFinnes, indeks, venter }: SearchIndexSeen): string {
  const waiting = html`<p class="ds-paragraph">Endringer som venter på å leses: ${String(venter.waiting)}!${venter.oldest === null ? '' : html`, den eldste fra !${timeText(venter.oldest)}`}.</p>`
  if (indeks === null) {
    const why = skalFinnes
      ? 'Registeret spørres til den første er bygget.'
      : 'SOKEINDEKS er av: registeret spørres.'
    return html`<p class="ds-paragraph">Ingen indeks. ${why}</p>!${waiting}`
  }
  const row = [
    timeText(indeks.builtAt),
    cellText(duration(indeks.seconds)),
    timeText(indeks.filesAt),
    cellText(indeks.units),
    cellText(indeks.subUnits),
    cellText(indeks.names),
  ]
  return `${dataTable('Den som leses', ['Bygget', 'På', 'Filer hentet', 'Enheter', 'Underenheter', 'Navn'], [row])}${waiting}`
}

const PHASES = {
  underenheter: 'leser underenheter',
  enheter: 'leser enheter',
  ordner: 'lager oppslagene',
  bytter: 'bytter',
} as const

function building({ bygger, feil }: SearchIndexSeen): string {
  const failure =
    feil === null
      ? ''
      : html`<p class="ds-paragraph"><strong>Et bygg endte med ${feil.text} !${timeText(feil.at)}.</strong> Neste fortsetter der det sluttet.</p>`
  if (bygger === null) return html`!${failure}<p class="ds-paragraph">Ingen ny er under bygging.</p>`
  const row = [
    cellText(PHASES[bygger.phase]),
    cellText(bygger.read),
    cellText(bygger.andel === null ? null : shareText(bygger.andel)),
    cellText(bygger.unreadable),
    timeText(bygger.startedAt),
    timeText(bygger.movedAt),
  ]
  return `${failure}${dataTable('Den som bygges', ['Gjør', 'Lest', 'Andel', 'Uleselige', 'Begynt', 'Sist flyttet'], [row])}`
}
