import { readFileSync, type Stats, statSync } from 'node:fs'
import { ConfigurationError } from '#src/core/errors.ts'

const BYTES_MAX = 64 * 1024

/**
 * What a variable is set to: the text of `NAME`, or of the file that `NAME_FILE` names. A secret in a file is not handed
 * on to child processes and stands in no crash report; a file that everybody on the machine may read keeps no secret.
 *
 * @throws ConfigurationError when both are set, or the file can not be used
 */
export function givenText(
  name: string,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const path = env[`${name}_FILE`]?.trim()
  if (!path) return env[name]?.trim()
  if (env[name]?.trim()) {
    throw new ConfigurationError(`${name}: expected either ${name} or ${name}_FILE, found both.`)
  }
  const refuse = (why: string) => new ConfigurationError(`${name}_FILE: expected ${why}, found "${path}".`)
  const file = found(path)
  if (!file?.isFile()) throw refuse('a file that exists, where this process may go')
  if (file.size > BYTES_MAX) throw refuse(`a file of at most ${BYTES_MAX} bytes`)
  // Windows has no such bits.
  if (process.platform !== 'win32' && (file.mode & 0o007) !== 0) {
    throw refuse('a file that others can not read (chmod 0400)')
  }
  const text = readable(path)
  if (text === null) throw refuse('a file this process may read')
  // Whoever names a file means what is in it: a secret that was not written there is not its default.
  if (text === '') throw refuse('a file with something in it')
  return text
}

/** A folder that is closed to this process, or links that lead nowhere, are no file to it. */
function found(path: string): Stats | null {
  try {
    return statSync(path)
  } catch {
    return null
  }
}

function readable(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return null
  }
}
