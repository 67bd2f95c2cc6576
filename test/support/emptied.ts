import { type Database, StorageUnavailableError } from '#src/storage/database.ts'
import { eventually } from './eventually.ts'

/**
 * Empties tables that a service is at work on. It may have locked some of them already and want others: who waited for it with the
 * others in hand would be in a deadlock with it. So it is all of them at once, or none, and once more.
 */
export function emptied(database: Database, tables: string): Promise<void> {
  return eventually(`${tables} are empty`, async () => {
    try {
      await database.transaction(async (connection) => {
        await connection.query(`lock table ${tables} in access exclusive mode nowait`)
        await connection.query(`truncate ${tables}`)
      })
      return true
    } catch (error) {
      if (error instanceof StorageUnavailableError && error.reason === '55P03') return false
      throw error
    }
  })
}
