import { readEnvironment } from '#config/environment.ts'
import { OppslagError } from '../core/errors.ts'
import { heedOutputs } from '../core/log/to-output.ts'
import { untilTold } from '../core/start.ts'
import { openStorage } from '../storage/open-storage.ts'

/** Brings the schema up to date and exits: 0 when it is, 1 with one line on stderr when it could not be. */
// Whoever reads may have seen enough (`| head`): what was begun is still done.
heedOutputs()
try {
  const { databaseUrl, dataDir } = readEnvironment(process.env)
  const storage = await untilTold(async (ended) => {
    const opened = await openStorage({
      databaseUrl,
      dataDir,
      applicationName: 'oppslag migrate',
      poolMax: 1,
      onLog: (message) => process.stdout.write(`${message}\n`),
      ended,
    })
    await opened.close()
    return opened
  })
  process.stdout.write(`The schema is up to date (${storage.migrated.length} migrations were run)\n`)
} catch (error) {
  // The text of other errors may hold an address with its password.
  const text = error instanceof OppslagError ? error.message : `unexpected ${(error as Error).name}`
  process.stderr.write(`migrate: ${text}\n`)
  process.exitCode = 1
}
