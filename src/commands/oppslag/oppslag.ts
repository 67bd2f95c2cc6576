import { Command, CommanderError } from 'commander'
import { CacheUnavailableError } from '#src/cache/errors.ts'
import { InputError, OppslagError } from '#src/core/errors.ts'
import { EndedWhileStarting } from '#src/core/start.ts'
import { norwegianHelp } from './help.ts'
import { asShown } from './output.ts'

type Add = (program: Command, judge: (code: number) => void) => Promise<void>

const backups: Add = async (program) => (await import('./sikkerhetskopi.ts')).addBackupCommands(program)

/** By the first word of a command: only what it takes is loaded, since that is most of what a short one costs. */
const FAMILIES = {
  nokkel: async (program) => (await import('./nokkel.ts')).addKeyCommands(program),
  import: async (program) => (await import('./import.ts')).addImportCommands(program),
  person: async (program) => (await import('./person.ts')).addPersonCommands(program),
  status: async (program, judge) => (await import('./status.ts')).addStatusCommand(program, judge),
  foretak: async (program) => (await import('./foretak.ts')).addCompanyCommands(program),
  levetider: async (program) => (await import('./levetider.ts')).addLifetimeCommands(program),
  kunde: async (program, judge) => (await import('./kunde.ts')).addCustomerCommands(program, judge),
  jobber: async (program) => (await import('./jobber.ts')).addJobCommands(program),
  kanari: async (program) => (await import('./kanari.ts')).addCanaryCommands(program),
  operator: async (program) => (await import('./operator.ts')).addOperatorCommands(program),
  sikkerhetskopi: backups,
  gjenopprett: backups,
  oppgrader: backups,
  sok: async (program) => (await import('./sok.ts')).addSearchCommands(program),
  foresporsel: async (program) => (await import('./foresporsel.ts')).addRequestCommand(program),
} satisfies Record<string, Add>

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
    .configureOutput({ outputError: (text, write) => write(asShown(text.replace(/^error/, 'oppslag'))) })
    .showHelpAfterError('Hvordan den brukes: oppslag <kommando> --help')
    .exitOverride()
  let verdict = 0
  const judge = (code: number) => {
    verdict = code
  }
  const [asked = ''] = args
  const families = Object.hasOwn(FAMILIES, asked)
    ? [FAMILIES[asked as keyof typeof FAMILIES]]
    : Object.values(FAMILIES)
  for (const add of new Set<Add>(families)) await add(program, judge)
  try {
    await program.parseAsync(args, { from: 'user' })
    return verdict
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    process.stderr.write(asShown(`oppslag: ${oneLine(error)}\n`))
    return error instanceof InputError ? 2 : 1
  }
}

/** Only what we wrote ourselves is shown whole: another error's text may hold an address with its password. */
function oneLine(error: unknown): string {
  if (error instanceof InputError) return error.norsk
  if (error instanceof CacheUnavailableError) return CACHE_REDIS_AWAY
  if (hasCode(error, '53100')) return 'Databasens disk er full. Gi den plass, og kjør kommandoen en gang til.'
  if (hasCode(error, '42501')) return TABLE_CLOSED
  if (error instanceof EndedWhileStarting) return 'Avbrutt. Ingenting er gjort.'
  if (error instanceof OppslagError) return error.message.replace(/\s+/g, ' ')
  const code = error instanceof Error && 'code' in error ? ` ${error.code}` : ''
  return `uventet feil (${error instanceof Error ? error.name : typeof error}${code})`
}

/** PostgreSQL's word, or that of whoever heard it: disk_full, insufficient_privilege. */
function hasCode(error: unknown, code: string): boolean {
  return [error, error instanceof Error && error.cause].some(
    (each) => (each as { code?: unknown })?.code === code,
  )
}

/** Which table it is stands in PostgreSQL's own log; its words here may hold what was written. */
const TABLE_CLOSED =
  'PostgreSQL slipper ikke til en av tabellene (42501): den er en annen rolles, eller disken er blitt skrivebeskyttet. PostgreSQLs logg sier hvilken.'

/** Which of Redis' commands it was says nothing to an operator; what to look at does. */
const CACHE_REDIS_AWAY =
  'Mellomlagerets Redis svarte ikke som den skal, så det er ikke gjort overalt. Se om CACHE_REDIS_URL er riktig og Redis går, og kjør kommandoen en gang til.'
