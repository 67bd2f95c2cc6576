import { type NewChange, writeChanges } from '#src/storage/changes/change-log.ts'
import type { Database } from '#src/storage/database.ts'

/** A change somebody has seen: a company is bankrupt, unless it is said to be something else. */
export const changeOf = (orgnr: string, facts: Partial<NewChange> = {}): NewChange => ({
  orgnr,
  seksjon: 'status',
  type: 'foretak.konkurs.apnet',
  felt: [{ felt: '/status/data/konkurs/gjelder', for: false, etter: true }],
  nevner: [],
  hendelse: null,
  forrige: new Date('2026-11-22T11:00:00.000Z'),
  sett: new Date('2026-11-22T12:00:00.000Z'),
  prove: false,
  ...facts,
})

/** Puts them in the log, in this order. */
export function writeInLog(database: Database, ...changes: NewChange[]): Promise<void> {
  return database.transaction((connection) => writeChanges(connection, changes))
}
