import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { readEnvironment } from '#config/environment.ts'
import { within } from '#src/core/wait.ts'
import { isEmbeddedDatabaseRunning } from '#src/embedded/embedded-database.ts'
import { StorageUnavailableError } from '#src/storage/database.ts'
import { withCommandGround } from '#src/wiring/command.ts'

/** As monitors of Nagios' kind read an exit code and one line. */
export type StatusVerdict = { code: 0 | 1 | 2 | 3; line: string }

const DEADLINE_MS = 20_000
const LATE: StatusVerdict = { code: 3, line: 'UKJENT - det kom ikke noe svar i tide' }

/**
 * Is anything wrong? 0 no, 1 something is, 2 nobody sells or keeps anything, 3 it could not be found out. Starts nothing: an
 * embedded database that does not run is itself the answer.
 */
export async function checkStatus(env: Readonly<Record<string, string | undefined>>): Promise<StatusVerdict> {
  try {
    return await within(find(env), DEADLINE_MS, () => LATE)
  } catch (error) {
    const reason = error instanceof StorageUnavailableError ? error.reason : refusalOf(error)
    if (reason !== undefined) return { code: 2, line: `KRITISK - PostgreSQL ${whatIsWrong(reason)}` }
    const { code = 'feil' } = error as { code?: string }
    return { code: 3, line: `UKJENT - ${code}` }
  }
}

async function find(env: Readonly<Record<string, string | undefined>>): Promise<StatusVerdict> {
  const { databaseUrl, dataDir } = readEnvironment(env)
  if (databaseUrl === null && (await isClosedToUs(join(dataDir, 'postgres', 'data'))))
    return { code: 3, line: `UKJENT - ${dataDir} er en annen brukers` }
  if (databaseUrl === null && !(await isEmbeddedDatabaseRunning(dataDir)))
    return { code: 2, line: 'KRITISK - den innebygde databasen går ikke' }
  const { galt, kanSkrives, prosesser } = await withCommandGround(env, ({ overview }) => overview())
  const ready = prosesser.filter(({ rapport }) => rapport?.klar === true).length
  const wrong = galt.map((each) => each.replace(/\s+/g, ' ')).join('; ')
  if (!kanSkrives) return { code: 2, line: `KRITISK - ${wrong}` }
  if (ready === 0)
    return { code: 2, line: `KRITISK - ingen prosess er klar${wrong === '' ? '' : `; ${wrong}`}` }
  const counted = `${ready} av ${prosesser.length} prosesser er klare`
  return wrong === ''
    ? { code: 0, line: `OK - ${counted}` }
    : { code: 1, line: `ADVARSEL - ${wrong}; ${counted}` }
}

/** Of an embedded one that runs, and lets nobody in. */
function refusalOf(error: unknown): string | undefined {
  const { cause } = error as { cause?: unknown }
  return cause instanceof pg.DatabaseError ? cause.code : undefined
}

/** What answers that it can not is looked after elsewhere than what does not answer. */
function whatIsWrong(reason: StorageUnavailableError['reason']): string {
  if (reason === '53100') return 'har ikke plass på disken'
  return reason !== null && SQLSTATE.test(reason) ? `kan ikke brukes nå (${reason})` : 'kan ikke nås'
}

/** Of those that come of a PostgreSQL that can not be used. */
const SQLSTATE = /^\d[\dA-Z]{4}$/

async function isClosedToUs(folder: string): Promise<boolean> {
  return stat(folder).then(
    () => false,
    ({ code }: NodeJS.ErrnoException) => code === 'EACCES',
  )
}
