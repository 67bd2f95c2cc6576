import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { end, runUnder } from './become.mjs'
import { findNode } from './node.mjs'
import { compiled, dependencies, root } from './place.mjs'
import { takeTurn } from './turn.mjs'

const STAMP = join(dependencies, '.installed')
const TURN = '.installing'
/** What the dependencies take, without the cache of npm. */
const MEGABYTES = 700

/** Whether what package-lock.json pins is there, for this kind of machine. */
export function isInstalled() {
  try {
    return readFileSync(STAMP, 'utf8') === wanted()
  } catch {
    return false
  }
}

/** Installs it, one process at a time. Ends this process when that can not be done. */
export async function install() {
  const turn = await begin()
  if (!isInstalled()) {
    // What an interrupted one left behind may be half a package.
    if (turn.isAfterBroken) clear()
    refuseFullDisk(turn)
    console.error('Installing dependencies (once, and again when package-lock.json changes) …')
    const ending = await npmInstall()
    // npm takes back what it could not finish, unless it was stopped.
    if (ending.code !== 0 && !ending.wasTold) turn.leave()
    stopUnlessDone(ending)
    // What can only be written now: the folder may be closed to whoever starts the service later.
    const env = { ...process.env, NODE_COMPILE_CACHE: compiled }
    stopUnlessDone(await runUnder(findNode(), ['src/commands/make-ready.ts'], { ...AROUND, env }))
    writeFileSync(`${STAMP}.new`, wanted())
    renameSync(`${STAMP}.new`, STAMP)
  }
  turn.leave()
}

async function begin() {
  try {
    mkdirSync(dependencies, { recursive: true })
    return await takeTurn(join(dependencies, TURN))
  } catch (error) {
    console.error(
      `The dependencies are not those of package-lock.json, and ${dependencies} can not be written (${error.code}). ` +
        'Run `npm run setup` once as a user who may.',
    )
    process.exit(1)
  }
}

function clear() {
  for (const name of readdirSync(dependencies)) {
    if (name !== TURN) rmSync(join(dependencies, name), { recursive: true, force: true })
  }
}

/** npm takes back what it has not finished, which takes it a minute; the next one that installs clears it away all the same. */
const PATIENCE_MS = 1000

/** On stderr: what it says is not what the program says. */
const AROUND = { cwd: root, stdio: ['ignore', 2, 'pipe'] }

function npmInstall() {
  // Not `ci`: it refuses where a registry does not carry the optional packages of other kinds of machines.
  // What the lock file pins is installed all the same, and with --no-save the lock file stays as it is.
  const parameters = ['install', '--no-save', '--include=dev', '--include=optional', '--ignore-scripts']
  parameters.push('--no-audit', '--no-fund', '--loglevel=error')
  // The npm that runs this, also where none is on the path.
  const { npm_execpath: path = '' } = process.env
  return basename(path) === 'npm-cli.js'
    ? runUnder(process.execPath, [path, ...parameters], AROUND, PATIENCE_MS)
    : runUnder('npm', parameters, AROUND, PATIENCE_MS)
}

/** Before it begins: npm takes a package it has no room for, the Node among them, for one that is not made for this machine. */
function refuseFullDisk(turn) {
  if (existsSync(STAMP)) return
  const { bavail, bsize } = statfsSync(dependencies)
  const free = Math.floor((bavail * bsize) / 2 ** 20)
  if (free >= MEGABYTES) return
  turn.leave()
  console.error(
    `No space is left on the disk: the dependencies take ${MEGABYTES} MB in ${dependencies}, and ${free} MB are free. Make room, ` +
      'and run this again.',
  )
  process.exit(1)
}

function stopUnlessDone(ending) {
  process.stderr.write(ending.words)
  if (ending.code !== 0) end(ending)
}

function wanted() {
  return createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .update(`${process.platform} ${process.arch}`)
    .digest('hex')
}
