import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { ConfigurationError, OppslagError } from '#src/core/errors.ts'
import { type Account, runAs } from './account.ts'

const run = promisify(execFile)

/** PostgreSQL's programs did not do what they were asked. `output` is what they, or the server's log, said last. */
export class ClusterError extends OppslagError {
  readonly output: string

  constructor(message: string, output: string, cause: unknown) {
    super('innebygd_database_feilet', message, { cause })
    this.output = output
  }
}

/** @throws ClusterError with what the program said. */
export async function runProgram(
  program: string,
  account: Account,
  cwd: string,
  deadlineMs: number,
  args: string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { PATH, SystemRoot, TEMP, TMP, TMPDIR } = process.env
  const command = runAs(account, program, args)
  try {
    await run(command.program, command.args, {
      cwd,
      timeout: deadlineMs,
      // Not the whole environment: it may hold secrets, and PG… variables that would redirect the program.
      env: { PATH, SystemRoot, TEMP, TMP, TMPDIR, LC_ALL: 'C', ...variables },
      ...command.identity,
    })
  } catch (error) {
    const {
      stderr = '',
      code,
      signal,
    } = error as { stderr?: string; code?: string | number; signal?: string }
    const output = stderr.trim()
    const why = output.split('\n').at(-1) || (code ?? signal)
    throw new ClusterError(`${program} failed: ${why}`, output, error)
  }
}

/**
 * What to say of an error that means that the machine has no room, on the disk or in the memory its users share, in PostgreSQL's words or
 * the system's; null of any other. Any user may take all of that memory there is, of which the system says that "no space is left" too.
 */
export function ofNoRoom(error: unknown, folder: string): ConfigurationError | null {
  const { code, output } = error as { code?: string; output?: string }
  if (/shared memory segment/i.test(output ?? ''))
    return new ConfigurationError(
      'PostgreSQL gets no shared memory from this machine (kernel.shmmni, /dev/shm): ipcs -m says who has taken how much. Free it, or ' +
        'set DATABASE_URL.',
      { cause: error },
    )
  if (
    code !== 'ENOSPC' &&
    code !== DISK_FULL &&
    !/no space left on device|check free disk space/i.test(output ?? '')
  )
    return null
  return new ConfigurationError(
    `DATA_DIR: no space is left on the disk of ${folder}. Make room there, choose another folder, or set DATABASE_URL.`,
    { cause: error },
  )
}

/** PostgreSQL's word. */
const DISK_FULL = '53100'
