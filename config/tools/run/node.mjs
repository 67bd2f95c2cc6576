import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { dependencies } from './place.mjs'

const NEEDED = [24, 12]

/** The file of the Node to run on: the one that came with the dependencies, else the machine's own. One line when both will not do. */
export function findNode() {
  const node = [prebuilt(), process.execPath].find(isNewEnough)
  if (node !== undefined) return node
  console.error(
    `Node ${NEEDED.join('.')} or newer is needed and ${process.version} was found. No prebuilt Node for ` +
      `${process.platform} ${process.arch} comes with the dependencies: install Node ${NEEDED[0]} and run this again.`,
  )
  process.exit(1)
}

/** Made for some kinds of machine. */
function prebuilt() {
  const isWindows = process.platform === 'win32'
  const name = `node-${isWindows ? 'win' : process.platform}-${process.arch}`
  return join(dependencies, name, 'bin', isWindows ? 'node.exe' : 'node')
}

function isNewEnough(node) {
  if (!existsSync(node)) return false
  const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout ?? ''
  const [major = 0, minor = 0] = version.replace('v', '').split('.').map(Number)
  return major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])
}
