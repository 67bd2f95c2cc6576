import type { Operator } from '#src/ops/operators.ts'
import type { Deed } from '#src/storage/operator-trail.ts'
import { cellText, dataTable, layout, timeText } from './layout.ts'

export const TRAIL_HEADINGS = ['Når', 'Hvem', 'Hva', 'Gjelder', 'Hvorfor', 'Utfall'] as const

export function deedRows(deeds: readonly Deed[]): string[][] {
  return deeds.map(({ at, hvem, handling, gjelder, hvorfor, utfall }) => [
    timeText(at),
    cellText(hvem),
    cellText(handling),
    cellText(gjelder),
    cellText(hvorfor),
    cellText(utfall),
  ])
}

export function trailPage({ operator, deeds }: { operator: Operator; deeds: readonly Deed[] }): string {
  return layout(
    { title: 'Spor', operator, path: '/spor' },
    dataTable('Det operatører har gjort, nyeste først', TRAIL_HEADINGS, deedRows(deeds)),
  )
}
