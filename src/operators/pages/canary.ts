import { html } from 'ghtml'
import type { CanaryReport } from '#src/ops/canary/canary.ts'
import type { Operator } from '#src/ops/operators.ts'
import { cellText, dataTable, layout, timeText } from './layout.ts'

const HEADINGS = ['Kilde', 'Hva', 'Felt'] as const
const SHOWN_MAX = 200

export function canaryPage({
  operator,
  report,
}: {
  operator: Operator
  report: CanaryReport | null
}): string {
  return layout({ title: 'Kanari', operator, path: '/kanari' }, report === null ? NONE : shown(report))
}

const NONE = html`<p class="ds-paragraph">Ingen har sett etter ennå. En arbeider gjør det hver natt, og <code>oppslag kanari</code> nå.</p>`

function shown(report: CanaryReport): string {
  const { ferdig, forrige, utenNett, kilder } = report
  const compared =
    forrige === null
      ? 'Det er ingen tidligere å sammenligne med.'
      : html`Sammenlignet med !${timeText(forrige)}.`
  const reached = utenNett
    ? html`<p class="ds-paragraph"><strong>Ingen av registrene kunne nås.</strong></p>`
    : ''
  const asked = kilder.map(({ kilde, spurt, lest, feil }) => [
    cellText(kilde),
    cellText(spurt),
    cellText(lest),
    cellText(
      Object.entries(feil)
        .map(([failure, count]) => `${failure}: ${count}`)
        .join(', ') || '–',
    ),
  ])
  return html`<p class="ds-paragraph">Sett !${timeText(ferdig)}. !${compared}</p>
!${reached}
!${dataTable('Det som er spurt', ['Kilde', 'Spurt', 'Lest', 'Uten svar'], asked)}
!${dataTable(
    'Endret siden forrige',
    HEADINGS,
    rowsOf(report, ({ siden }) => siden ?? {}),
  )}
!${dataTable(
    'Annet enn skjemaet kildene leses etter',
    HEADINGS,
    rowsOf(report, ({ skjema }) => skjema),
  )}`
}

const WORDS: Record<string, string> = {
  nye: 'nytt felt',
  borte: 'borte',
  endret: 'annen type',
  mangler: 'mangler',
}

function rowsOf(
  { kilder }: CanaryReport,
  linesOf: (of: CanaryReport['kilder'][number]) => Record<string, string[]>,
): string[][] {
  return kilder
    .flatMap((of) =>
      Object.entries(linesOf(of)).flatMap(([what, lines]) =>
        lines.map((line) => [cellText(of.kilde), cellText(WORDS[what] ?? what), cellText(line)]),
      ),
    )
    .slice(0, SHOWN_MAX)
}
