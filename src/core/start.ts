import { OppslagError } from './errors.ts'

/** Runs a door's opening. What is wrong with the set-up is told in one line and ends the process with status 1. */
export async function startOrExplain<T>(open: () => T | Promise<T>): Promise<T> {
  try {
    return await open()
  } catch (error) {
    process.stderr.write(`${explained(error)}\n`)
    process.exit(1)
  }
}

/** PostgreSQL's code of a full disk (disk_full), and the system's. */
const DISK_FULL = ['53100', 'ENOSPC']

function explained(error: unknown): string {
  if (error instanceof OppslagError) return error.message
  if (!(error instanceof Error)) return String(error)
  const isFull = 'code' in error && DISK_FULL.includes(String(error.code))
  return isFull
    ? `No space is left on the disk: ${error.message}. Make room, and start again.`
    : String(error.stack)
}
