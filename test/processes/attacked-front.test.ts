import { connect } from 'node:net'
import { Client } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SAMPLE } from '../fixtures/samples/index.ts'
import { type AttackedFront, startAttackedFront } from '../support/attacked-front.ts'
import { unfinishedLists, unreadPipelines } from '../support/attacks.ts'
import { eventually } from '../support/eventually.ts'

const MEGABYTE = 1024 * 1024
/** On a machine that does other things as well. By itself, in milliseconds: `test/heavy/attacked-front.test.ts`. */
const WAIT_MAX_MS = 5000

/** Other attacks are in short/, and lists that are sent slowly in test/scenarios/slow-lists. */
describe('a front that is attacked for longer', () => {
  let attacked: AttackedFront

  beforeAll(async () => {
    attacked = await startAttackedFront()
    // What a new process takes for whatever comes first is not this attack's.
    await unreadPipelines(attacked, { count: 4, networks: 4 })
  })
  afterAll(() => attacked.close())

  it('P43: with lists that are never whole: they take no memory to speak of, and a visitor of another network sends theirs', async () => {
    const page = await fetch(`${attacked.front.address}/liste`)
    const cookie = page.headers
      .getSetCookie()
      .map((each) => each.split(';')[0])
      .join('; ')
    const skjema = /name="skjema" value="([^"]+)"/.exec(await page.text())?.[1] ?? ''
    const visitor = new Client(attacked.front.address, { localAddress: '127.0.3.2' })
    try {
      const cost = await unfinishedLists(attacked, { count: 400 }, async () => {
        const { statusCode, body } = await visitor.request({
          method: 'POST',
          path: '/liste',
          headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
          body: new URLSearchParams({ skjema, linjer: SAMPLE.healthy }).toString(),
        })
        expect([statusCode, (await body.text()).includes('TINDEVÅG')]).toEqual([200, true])
      })
      expect(cost.grownBytes).toBeLessThan(100 * MEGABYTE)
      expect(cost.waitsMs.at(-1)).toBeLessThan(WAIT_MAX_MS)
    } finally {
      await visitor.destroy()
    }
  })

  it.each(['public', 'operators’'])(
    'P43: attack: more connect at the %s port at a time than Node asks for, while it is at something else: none is dropped',
    async (port) => {
      const { front, opsAddress } = attacked
      const { hostname, port: number } = new URL(port === 'public' ? front.address : opsAddress)
      process.kill(front.pid, 'SIGSTOP')
      const wave = Array.from({ length: 1200 }, (_, index) =>
        connect({ host: hostname, port: Number(number), localAddress: `127.0.4.${1 + (index % 100)}` }),
      )
      try {
        for (const each of wave) each.on('error', () => {})
        // Of those that are dropped the system tries again, and goes on to: nobody takes any.
        await eventually('all are connected', () => wave.every(({ connecting }) => !connecting))
        expect(wave.filter(({ destroyed }) => destroyed)).toEqual([])
      } finally {
        for (const each of wave) each.destroy()
        process.kill(front.pid, 'SIGCONT')
      }
    },
  )
})
