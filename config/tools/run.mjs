// The door before every other: runs on whatever Node the machine has (18 or newer; plain JavaScript, no dependency), installs
// what is missing, and runs what follows on the Node that came with it. `node config/tools/run.mjs [flag …] script [argument …]`
//
// The Node is named by its file. A second `node` in one line of package.json would be the machine's own: the shell remembers
// where it found the first, though a new one now stands before it on the path. `exec` in package.json: npm hands SIGTERM to
// the shell alone, and not every shell hands it on.
import { become } from './run/become.mjs'
import { helpOf } from './run/help.mjs'
import { install, isInstalled } from './run/install.mjs'
import { findNode } from './run/node.mjs'
import { compiled } from './run/place.mjs'

const program = process.argv.slice(2)
const help = helpOf(program)
if (help !== null) {
  console.log(help)
} else {
  if (!isInstalled()) await install()
  // What Node has compiled it keeps: the next start takes half the time. Where nobody may write there it does without.
  process.env.NODE_COMPILE_CACHE = compiled
  if (program.length > 0) await become(findNode(), program)
}
