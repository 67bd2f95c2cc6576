// Every Node a machine may have, under every shell it may have: `node --test test/first-try/every-node.test.mjs`. Some minutes.
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { createNewcomer, STARTS_WITHIN_MS } from './newcomer.mjs'
import { forgetNode, SHELLS } from './shells.mjs'

/** The npm that comes with each, where the newest one does not run on it. */
const NODES = [
  { node: 18, npm: ['npm@10'] },
  { node: 20, npm: [] },
  { node: 22, npm: [] },
  { node: 24, npm: [] },
]

const newcomer = createNewcomer()
after(() => newcomer.leave())

describe('P41: the first try, whatever the machine has', { timeout: 20 * STARTS_WITHIN_MS }, () => {
  const place = newcomer.clone('en klone æøå')

  for (const { node, npm } of NODES) {
    const machine = join(newcomer.base, `node ${node}`)
    const variables = { PATH: `${join(machine, 'node_modules', '.bin')}:${newcomer.env.PATH}` }
    const run = (...command) => newcomer.start(place, command, { variables }).ended(STARTS_WITHIN_MS)

    test(`Node ${node} is had from npm`, async () => {
      mkdirSync(machine)
      const packages = [`node-${process.platform}-${process.arch}@${node}`, ...npm]
      const had = await newcomer
        .start(machine, ['npm', 'install', '--no-save', '--ignore-scripts', ...packages])
        .ended(STARTS_WITHIN_MS)
      assert.equal(had.code, 0, had.err)
      assert.match((await run('node', '--version')).out, new RegExp(`^v${node}\\.`))
    })

    for (const shell of SHELLS) {
      const program = shell.find(newcomer.base)
      test(`Node ${node} under ${shell.name}`, {
        skip: program === null && 'not on this machine',
      }, async () => {
        // The very first has nothing installed at all.
        if (node !== NODES[0].node || shell !== SHELLS[0]) forgetNode(place)
        const { code, out, err } = await run(
          'npm',
          'run',
          '-s',
          `--script-shell=${program}`,
          'oppslag',
          '--',
          '--help',
        )
        assert.equal(code, 0, err)
        assert.match(out, /^Bruk: oppslag/)
      })
    }
  }
})
