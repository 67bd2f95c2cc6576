import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const pinned = fileURLToPath(new URL('../judges', import.meta.url))
/** Among what is installed, where nobody takes their files for ours. */
const folder = fileURLToPath(new URL('../../node_modules/.judges', import.meta.url))
const stamp = join(folder, '.installed')

/**
 * Who judges from outside what is published, as their own lock file pins them. They are no dependency of the project: whoever
 * tries its first command would wait half as long again for them.
 */
export async function openJudges() {
  const lock = await readFile(join(pinned, 'package-lock.json'))
  const wanted = createHash('sha256').update(lock).digest('hex')
  if ((await readFile(stamp, 'utf8').catch(() => '')) !== wanted) {
    await rm(folder, { recursive: true, force: true })
    await cp(pinned, folder, { recursive: true })
    await run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder })
    await writeFile(stamp, wanted)
  }
  return {
    /** What one of their packages exports. */
    // biome-ignore lint/suspicious/noExplicitAny: their types are not installed where this is compiled
    load: createRequire(join(folder, 'package.json')) as (name: string) => any,
    /** Runs one of their commands. @throws when it ends with anything but 0 */
    command: (name: string, parameters: readonly string[]) =>
      run(process.execPath, [join(folder, 'node_modules/.bin', name), ...parameters], { cwd: folder }),
  }
}
