import { createHash } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runInPlace } from './in-place.mjs'

export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..')
const stamp = join(root, 'node_modules', '.installed')

/** Installs what package-lock.json pins, when that has changed since the last time. */
export async function installed() {
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .update(`${process.platform} ${process.arch}`)
    .digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  console.error('Installing dependencies (once, and again when package-lock.json changes) …')
  const npm = process.env.npm_execpath
  const [command, ...before] = npm ? [process.execPath, npm] : ['npm']
  // Not `ci`: it refuses where a registry does not carry the optional packages of other kinds of machines.
  // What the lock file pins is installed all the same, and with --no-save the lock file stays as it is.
  const install = ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  // What it has to say is not what the program has to say.
  await runInPlace(command, [...before, ...install], { cwd: root, stdio: ['ignore', 2, 2] })
  writeFileSync(`${stamp}.new`, wanted)
  renameSync(`${stamp}.new`, stamp)
}
