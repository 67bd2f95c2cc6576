import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hasNft, NFT_COMMAND } from '../support/nft.ts'
import { canMakeMachines, joinTwoMachines } from '../support/two-machines.ts'

const RULES = fileURLToPath(new URL('../../config/nftables/oppslag.nft', import.meta.url))
const UNIT = readFileSync(new URL('../../config/nftables/nftables-oppslag.service', import.meta.url), 'utf8')
const FLOOD = 2_000
/** What one network may begin at once, as the rules have it, and room for what comes free while it tries. */
const AT_ONCE = 500
const ROOM = 1_000
const PATIENCE_MS = 3_000

describe.skipIf(!canMakeMachines() || !hasNft())(
  `the firewall of one machine (needs root, network namespaces, and nft: ${NFT_COMMAND})`,
  () => {
    let machines: Awaited<ReturnType<typeof joinTwoMachines>>

    const join = (port: number) =>
      joinTwoMachines(
        {
          first: ['10.0.0.1/8', 'fd00::1/16'],
          second: ['10.1.0.1/8', '10.2.0.1/8', 'fd00:1:1:1::1/16', 'fd00:1:1:2::1/16', 'fd00:2:2::1/16'],
        },
        port,
      )

    beforeEach(async () => {
      machines = await join(8080)
    })
    afterEach(() => machines.close())

    const load = () => machines.atFirst(['nft', '-f', RULES])
    const answered = (told: { answered: number }[]) => told.map(({ answered }) => answered)
    const flood = (to: string, from: string[], count = FLOOD) =>
      machines.begin({ to, from, count, patienceMs: PATIENCE_MS })

    it('without it whoever connects without end has all the connections that are asked for', async () => {
      expect(answered(await flood('10.0.0.1', ['10.1.0.1']))).toEqual([FLOOD])
    })

    it.each([
      ['version 4', '10.0.0.1', ['10.1.0.1'], '10.2.0.1'],
      [
        'version 6, of all addresses of its site',
        'fd00::1',
        ['fd00:1:1:1::1', 'fd00:1:1:2::1'],
        'fd00:2:2::1',
      ],
    ])(
      'P43: attack: one network of %s that connects without end has its share, and the first who comes from another is answered',
      async (_, to, from, other) => {
        load()
        const begun = answered(await flood(to, from)).reduce((sum, each) => sum + each, 0)
        expect(begun).toBeGreaterThanOrEqual(AT_ONCE)
        expect(begun).toBeLessThan(AT_ONCE + ROOM)
        expect(answered(await flood(to, [other], 100))).toEqual([100])
        expect(machines.atFirst(['nft', 'list', 'counter', 'inet', 'oppslag', 'dropped'])).not.toMatch(
          /packets 0 /,
        )
      },
    )

    it('P43: attack: what is handed on to where a container listens is bounded as it came', async () => {
      const container = await join(9090)
      try {
        for (const words of [
          ['table', 'ip', 'published'],
          ['chain', 'ip', 'published', 'to', '{ type nat hook prerouting priority dstnat; }'],
          ['rule', 'ip', 'published', 'to', 'tcp', 'dport', '80', 'redirect', 'to', ':9090'],
        ])
          container.atFirst(['nft', 'add', ...words])
        container.atFirst(['nft', '-f', RULES])
        const asked = { to: '10.0.0.1', port: 80, from: ['10.1.0.1'], count: FLOOD, patienceMs: PATIENCE_MS }
        const [begun = 0] = answered(await container.begin(asked))
        expect(begun).toBeGreaterThanOrEqual(AT_ONCE)
        expect(begun).toBeLessThan(AT_ONCE + ROOM)
      } finally {
        await container.close()
      }
    })

    it('P43: as its unit loads it, loads it anew and takes it away, the rules of others stay', () => {
      const run = (what: string) => {
        const [, command = ''] = new RegExp(`^${what}=(.+)$`, 'm').exec(UNIT) ?? []
        machines.atFirst(command.replace('/etc/oppslag/firewall.nft', RULES).split(' '))
        return machines.atFirst(['nft', 'list', 'tables']).trim().split('\n')
      }
      machines.atFirst(['nft', 'add', 'table', 'ip', 'filter'])
      expect(run('ExecStart')).toEqual(['table ip filter', 'table inet oppslag'])
      expect(run('ExecReload')).toEqual(['table ip filter', 'table inet oppslag'])
      expect(run('ExecStop')).toEqual(['table ip filter'])
    })

    it('lets a proxy of another machine begin what it wants, and loaded again is the same once more', async () => {
      load()
      machines.atFirst(['nft', 'add', 'element', 'inet', 'oppslag', 'proxies4', '{ 10.1.0.1 }'])
      expect(answered(await flood('10.0.0.1', ['10.1.0.1']))).toEqual([FLOOD])
      load()
      const [begun = 0] = answered(await flood('10.0.0.1', ['10.1.0.1']))
      expect(begun).toBeLessThan(AT_ONCE + ROOM)
    })
  },
)
