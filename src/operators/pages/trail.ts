import type { Operator } from '#src/ops/operators.ts'
import type { Deed } from '#src/storage/operator-trail.ts'
import { cell, layout, table, time } from './layout.ts'

export const TRAIL_HEADINGS = ['Når', 'Hvem', 'Hva', 'Gjelder', 'Hvorfor', 'Utfall'] as const

export function deedRows(deeds: readonly Deed[]): string[][] {
  return deeds.map(({ at, hvem, handling, gjelder, hvorfor, utfall }) => [
    time(at),
    cell(hvem),
    cell(handling),
    cell(gjelder),
    cell(hvorfor),
    cell(utfall),
  ])
}

export function trailPage({ operator, deeds }: { operator: Operator; deeds: readonly Deed[] }): string {
  return layout(
    { title: 'Spor', operator, path: '/spor' },
    table('Det operatører har gjort, nyeste først', TRAIL_HEADINGS, deedRows(deeds)),
  )
}
