import { access, constants } from 'node:fs/promises'
import { InputError } from '#src/core/errors.ts'

/**
 * Seen before anything is opened or begun: a file that is not there is a mistyped name, not a failed import.
 *
 * @param path `-` is standard input, which is always there
 * @throws InputError
 */
export async function requireFile(path: string): Promise<void> {
  if (path === '-') return
  await access(path, constants.R_OK).catch(() => {
    throw new InputError('ukjent_fil', 'fil', {
      norsk: `Filen ${path} finnes ikke eller kan ikke leses.`,
      english: `The file ${path} does not exist or can not be read.`,
    })
  })
}
