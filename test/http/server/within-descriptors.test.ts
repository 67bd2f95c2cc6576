import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import { withinDescriptors } from '#src/http/server/within-descriptors.ts'

const bounds = policy.http

it('P43: where a process may have few descriptors, strangers’ connections leave it those of stores and registers', () => {
  const { connectionsMax, connectionsPerNetworkMax, connectionsAtEaseMax } = withinDescriptors(
    bounds,
    1024,
    2,
  )
  expect({ connectionsMax, connectionsPerNetworkMax, connectionsAtEaseMax }).toEqual({
    connectionsMax: 384,
    connectionsPerNetworkMax: 39,
    connectionsAtEaseMax: 77,
  })
  // Both ports of a process, all taken.
  expect(2 * connectionsMax).toBeLessThanOrEqual(1024 - 256)
  // And both sockets.
  expect(4 * withinDescriptors(bounds, 1024, 4).connectionsMax).toBeLessThanOrEqual(1024 - 256)
})

it('P43: where there are enough, the policy holds; where there are next to none, somebody is still answered', () => {
  for (const enough of [65_536, Number.POSITIVE_INFINITY])
    expect(withinDescriptors(bounds, enough, 2)).toEqual(bounds)
  expect(withinDescriptors(bounds, 100, 2)).toMatchObject({ connectionsMax: 2, connectionsPerNetworkMax: 1 })
})

it.skipIf(process.platform === 'win32')('P43: a process knows how many it may have', () => {
  const module = new URL('../../../src/http/server/within-descriptors.ts', import.meta.url)
  const script = `import { descriptorsOfProcess } from '${module}'; console.log(descriptorsOfProcess())`
  const line = 'ulimit -n 700; exec "$0" --input-type=module -e "$1"'
  const { stdout } = spawnSync('sh', ['-c', line, process.execPath, script], { encoding: 'utf8' })
  expect(stdout.trim()).toBe('700')
})
