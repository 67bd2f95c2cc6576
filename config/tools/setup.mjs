// Runs before start, demo and test, on whatever Node the machine has (plain JavaScript, no dependency).
// It installs what package-lock.json pins when that has changed since the last time; the Node that the rest runs on
// comes with it, since npm puts node_modules/.bin first on the path of what follows in the same script.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
const stamp = join(root, 'node_modules', '.installed')
const wanted = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .update(`${process.platform} ${process.arch}`)
  .digest('hex')

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
  console.error('Installing dependencies (once, and again when package-lock.json changes) …')
  const npm = process.env.npm_execpath
  const [command, ...before] = npm ? [process.execPath, npm] : ['npm']
  // Not `ci`: it refuses where a registry does not carry the optional packages of other kinds of machines.
  // What the lock file pins is installed all the same, and with --no-save the lock file stays as it is.
  const install = ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const done = spawnSync(command, [...before, ...install], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (done.status !== 0) process.exit(done.status ?? 1)
  writeFileSync(stamp, wanted)
}

const node = spawnSync('node', ['--version'], { encoding: 'utf8', shell: process.platform === 'win32' })
const [major = 0, minor = 0] = (node.stdout ?? '').replace('v', '').split('.').map(Number)
if (major < 24 || (major === 24 && minor < 12)) {
  console.error(
    `Node 24.12 or newer is needed and ${node.stdout?.trim() || 'none'} was found. No prebuilt Node for ` +
      `${process.platform} ${process.arch} comes with the dependencies: install Node 24 and run this again.`,
  )
  process.exit(1)
}
