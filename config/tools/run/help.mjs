import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './place.mjs'

/** These tell more themselves. */
const HAVE_THEIR_OWN = /^(node_modules\/|src\/commands\/oppslag\.ts$|test\/run\.ts$)/

const OF_SETUP = 'Installs what package-lock.json pins, when that has changed since the last time.'

/**
 * What `--help` of a script says, before anything is installed or begun: the comment its file begins with. Null when it was not
 * asked for, or the program has an answer of its own.
 */
export function helpOf(program) {
  if (!program.includes('--help')) return null
  const script = program.find((word) => !word.startsWith('-'))
  if (script === undefined) return OF_SETUP
  if (HAVE_THEIR_OWN.test(script)) return null
  const [, comment = ''] =
    /\/\*\*[\s*]*(?:Door: )?([\s\S]*?)\s*\*\//.exec(readFileSync(join(root, script), 'utf8')) ?? []
  const text = comment.replace(/\n *\* ?/g, '\n')
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
