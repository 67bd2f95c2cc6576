import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BROWSER_COMMAND, hasBrowser } from './support/browser.ts'
import { canInstall } from './support/debian-package.ts'
import { hasRedis, installRedis, REDIS_COMMAND } from './support/redis-server.ts'

/**
 * Door: the tests, with what npm can not carry set up before. What it can not set up is skipped, and named in the last lines, with
 * the command that brings it. Arguments are vitest's.
 */
const root = fileURLToPath(new URL('..', import.meta.url))

const parameters = process.argv.slice(2)
/** Folders whose tests are run by a set-up of their own, which lies in them; that of the second also runs what takes long elsewhere. */
const parts = ['test/heavy/', 'test/processes/']
const isAsked = parameters.includes('--help')

if (!isAsked && !hasRedis() && canInstall()) {
  console.error(`Redis is not on this machine: installing it (${REDIS_COMMAND}) …`)
  installRedis()
}
const withoutRedis = hasRedis() ? [] : filesThatNeed('test/support/redis.ts')
// They skip what is for a browser themselves, and have other tests.
const withoutBrowser = hasBrowser() ? [] : filesThatNeed('test/support/browser.ts')

const runner = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url))
const excluded = withoutRedis.map((file) => `--exclude=${file}`)
process.argv = [process.execPath, runner, 'run', ...excluded, ...parameters]
if (!isAsked) process.on('exit', sayWhatIsSkipped)
await import(runner)

function sayWhatIsSkipped(): void {
  for (const { files, what, command } of [
    { files: withoutRedis, what: 'there is no Redis here', command: REDIS_COMMAND },
    { files: withoutBrowser, what: 'there is no browser here', command: BROWSER_COMMAND },
  ]) {
    if (files.length > 0) console.error(`Skipped, since ${what}: ${files.join(', ')}\n${command}`)
  }
}

/** Every file of tests that imports this one, itself or through others. */
function filesThatNeed(path: string): string[] {
  const needed = join(root, path)
  const reached = new Map<string, boolean>()
  const part = parts.find((folder) => parameters.join().includes(`${folder}vitest.config.ts`))
  const partOf = (file: string) =>
    file.endsWith('.long.test.ts')
      ? 'test/processes/'
      : parts.find((folder) => folder === `${dirname(file)}/`)
  return globSync('test/**/*.test.ts', { cwd: root }).filter(
    (file) => partOf(file) === part && needs(join(root, file)),
  )

  function needs(file: string): boolean {
    if (file === needed) return true
    const known = reached.get(file)
    if (known !== undefined) return known
    reached.set(file, false)
    const isNeeding = importsOf(file).some(needs)
    reached.set(file, isNeeding)
    return isNeeding
  }
}

/** Of the tests' own files; what stands behind the product's does not start stores for tests. */
function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8')
  return [...text.matchAll(/from '((?:#test|\.)[^']+\.ts)'/g)].flatMap(([, path = '']) => {
    const found = path.startsWith('#test') ? join(root, path.slice(1)) : join(dirname(file), path)
    return relative(root, found).startsWith('test') ? [found] : []
  })
}
