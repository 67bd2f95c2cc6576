// The door before every other: runs on whatever Node the machine has (18 or newer; plain JavaScript, no dependency), installs
// what is missing, and runs what follows on the Node that came with it. `node config/tools/run.mjs [flag …] script [argument …]`
//
// The Node is named by its file. A second `node` in one line of package.json would be the machine's own: the shell remembers
// where it found the first, though a new one now stands before it on the path.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { runInPlace } from './run/in-place.mjs'
import { installed, root } from './run/installed.mjs'

const NEEDED = [24, 12]

await installed()
const program = process.argv.slice(2)
if (program.length > 0) {
  const node = [prebuilt(), process.execPath].find((each) => isNewEnough(each))
  if (node === undefined) {
    console.error(
      `Node ${NEEDED.join('.')} or newer is needed and ${process.version} was found. No prebuilt Node for ` +
        `${process.platform} ${process.arch} comes with the dependencies: install Node ${NEEDED[0]} and run this again.`,
    )
    process.exit(1)
  }
  await runInPlace(node, program)
}

/** The Node of the dependencies, made for some kinds of machine. */
function prebuilt() {
  const { platform, arch } = process
  const file = platform === 'win32' ? 'node.exe' : 'node'
  return join(root, 'node_modules', `node-${platform === 'win32' ? 'win' : platform}-${arch}`, 'bin', file)
}

function isNewEnough(node) {
  if (!existsSync(node)) return false
  const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout ?? ''
  const [major = 0, minor = 0] = version.replace('v', '').split('.').map(Number)
  return major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])
}
