import { Command, CommanderError } from 'commander'
import { CacheUnavailableError } from '#src/cache/errors.ts'
import { InputError, OppslagError } from '#src/core/errors.ts'
import { EndedWhileStarting } from '#src/core/start.ts'
import { addRequestCommand } from './foresporsel.ts'
import { addCompanyCommands } from './foretak.ts'
import { norwegianHelp } from './help.ts'
import { addImportCommands } from './import.ts'
import { addJobCommands } from './jobber.ts'
import { addCanaryCommands } from './kanari.ts'
import { addCustomerCommands } from './kunde.ts'
import { addLifetimeCommands } from './levetider.ts'
import { addKeyCommands } from './nokkel.ts'
import { addOperatorCommands } from './operator.ts'
import { addPersonCommands } from './person.ts'
import { addBackupCommands } from './sikkerhetskopi.ts'
import { addSearchCommands } from './sok.ts'
import { addStatusCommand } from './status.ts'

/**
 * The operator's command. Works on the database the environment names, also while a service runs on it.
 *
 * @returns its exit code: 0 done, 1 refused or failed, 2 not understood; of `status --sjekk` and `kunde avstem` what was found
 */
export async function oppslag(args: readonly string[]): Promise<number> {
  const program = new Command('oppslag')
    .description('Administrer bedriftsoppslaget')
    .helpOption('-h, --help', 'vis hjelp')
    .helpCommand(false)
    .showSuggestionAfterError(false)
    .configureHelp(norwegianHelp)
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error/, 'oppslag')) })
    .showHelpAfterError('Hvordan den brukes: oppslag <kommando> --help')
    .exitOverride()
  addKeyCommands(program)
  addImportCommands(program)
  addPersonCommands(program)
  let verdict = 0
  const judge = (code: number) => {
    verdict = code
  }
  addStatusCommand(program, judge)
  addCompanyCommands(program)
  addLifetimeCommands(program)
  addCustomerCommands(program, judge)
  addJobCommands(program)
  addCanaryCommands(program)
  addOperatorCommands(program)
  addBackupCommands(program)
  addSearchCommands(program)
  addRequestCommand(program)
  try {
    await program.parseAsync(args, { from: 'user' })
    return verdict
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    process.stderr.write(`oppslag: ${oneLine(error)}\n`)
    return error instanceof InputError ? 2 : 1
  }
}

/** Only what we wrote ourselves is shown whole: another error's text may hold an address with its password. */
function oneLine(error: unknown): string {
  if (error instanceof InputError) return error.norsk
  if (error instanceof CacheUnavailableError) return CACHE_REDIS_AWAY
  if (error instanceof EndedWhileStarting) return 'Avbrutt. Ingenting er gjort.'
  if (error instanceof OppslagError) return error.message.replace(/\s+/g, ' ')
  const code = error instanceof Error && 'code' in error ? ` ${error.code}` : ''
  return `uventet feil (${error instanceof Error ? error.name : typeof error}${code})`
}

/** Which of Redis' commands it was says nothing to an operator; what to look at does. */
const CACHE_REDIS_AWAY =
  'Mellomlagerets Redis svarte ikke som den skal, så det er ikke gjort overalt. Se om CACHE_REDIS_URL er riktig og Redis går, og kjør kommandoen en gang til.'
