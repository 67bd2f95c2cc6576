import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createAsking } from '../support/all-at-once/asking.ts'
import { createBuyers } from '../support/all-at-once/buyers.ts'
import { type Chance, createChance } from '../support/all-at-once/chance.ts'
import { createCompanies, knownCompanies } from '../support/all-at-once/companies.ts'
import { createJudge } from '../support/all-at-once/judge.ts'
import { eventually } from '../support/eventually.ts'
import { type Fleet, type Front, members, type Part, startFleet } from '../support/fleet.ts'
import { startJudgedReceiver } from '../support/judged-receiver.ts'
import { startMailServer } from '../support/mail-server.ts'
import { isWhole, readinessOf } from '../support/outages.ts'
import { startRegisterStandIn } from '../support/register-stand-in.ts'
import { seller, vippsVariables } from '../support/shop-service.ts'
import { startVippsStandIn } from '../support/vipps-stand-in.ts'

const ROUND_MS = Number(process.env.ROUND_S ?? 120) * 1000
const FIRST = Number(process.env.SEED ?? 1)
const ROUNDS = Number(process.env.ROUNDS ?? 3)
/** Who have been up for so long, with all they use, hold what they were asked for, and know whose key it is. */
const SETTLED_MS = 45_000
/** A mail that failed thrice comes after three and a half minutes; a paid order waits no longer for anything else. */
const WITHIN_MS = 300_000
const USUAL = { kind: 'late', byMs: 100 } as const

describe('P199: all that happens, while all that it takes dies', () => {
  it.each(Array.from({ length: ROUNDS }, (_, nr) => FIRST + nr))(
    'ends as it should, however things fell (seed %i)',
    async (seed) => {
      const chance = createChance(seed)
      const [register, vipps, mail, receiver] = await Promise.all([
        startRegisterStandIn({ answers: knownCompanies() }),
        startVippsStandIn(),
        startMailServer(),
        startJudgedReceiver(),
      ])
      const fleet = await startFleet(register, (origin) => ({
        ...seller,
        ...vippsVariables(vipps),
        SMTP_URL: mail.url,
        MAIL_FROM: 'Oppslag <nokler@oppslag.example>',
        PUBLIC_URL: origin,
        TRUST_PROXY: '127.0.0.1',
        WEBHOOK_HOSTS: receiver.origin,
      }))
      try {
        vipps.misbehave('alle', USUAL)
        const asking = createAsking(fleet)
        const buyers = createBuyers({ fleet, vipps, mail, asking, chance })
        const companies = await createCompanies({ fleet, register, receiver, asking, chance })
        const falls = createFalls(fleet, chance, {
          'the mail server': { go: () => mail.down(), come: () => mail.up() },
          'the mail server, after it took a mail': {
            go: () => mail.behave({ at: 'end', does: 'reset' }),
            come: () => mail.behave(),
          },
          Vipps: {
            go: () => vipps.misbehave('alle', { kind: 'reset' }),
            come: () => vipps.misbehave('alle', USUAL),
          },
          'the registers': {
            go: () => register.setFault('alle', { kind: 'hang' }),
            come: () => register.clearFaults(),
          },
          'a customer’s receiver': {
            go: () => receiver.conduct('/e', { status: 500 }),
            come: () => receiver.conduct('/e', { status: 200 }),
          },
        })
        await eventually(
          'all have settled',
          () => falls.isSettled('front A') && falls.isSettled('front B'),
          60_000,
        )

        let isOver = false
        const underway: Promise<void>[] = []
        const often = async (everyMs: number, act: () => Promise<void>) => {
          for (; !isOver; await pause(everyMs * (0.5 + chance.part()))) await act()
        }
        const lives = [
          // Whoever comes does not wait for whoever came before.
          often(2500, async () => void underway.push(buyers.come())),
          often(5000, buyers.loseKey),
          often(12_000, buyers.refund),
          often(7000, buyers.forget),
          often(800, buyers.use),
          often(40, () => companies.read(falls.isSettled)),
          often(700, companies.change),
          often(ROUND_MS / 30, companies.remove),
          often(400, companies.readDoomed),
          often(8000, companies.handIn),
          often(2500, falls.one),
          often(2500, falls.one),
        ]
        await pause(ROUND_MS)
        isOver = true
        await Promise.all(lives)
        await Promise.all(underway)

        const judge = createJudge(WITHIN_MS)
        await buyers.judge(judge)
        await companies.judge(judge)
        for (const member of members)
          await judge.holds(`${member} has all it uses`, async () =>
            isWhole(await readinessOf(`${fleet.addressOf(member).ops}/health/ready`)),
          )
        judge.isSo('nobody has an error to tell', !/"level":(?:50|60)/.test(fleet.output()))
        process.stdout.write(
          `seed ${seed}: ${falls.fallen().length} fell, ${buyers.count()} came, ${companies.readings.held} readings of what was held\n`,
        )
        expect([...asking.wrong, ...judge.wrong], falls.fallen().join('\n')).toEqual([])
      } finally {
        await fleet.close()
        await Promise.all([register.close(), vipps.close(), mail.close(), receiver.close()])
      }
    },
    1_800_000,
  )
})

type Fall = { go(): unknown; come(): unknown }

/** What falls, one or two at a time, and comes back after some seconds. */
function createFalls(fleet: Fleet, chance: Chance, others: Readonly<Record<string, Fall>>) {
  const fallen: string[] = []
  const down = new Set<string>()
  const upSince = new Map<Front, number>([
    ['front A', Date.now()],
    ['front B', Date.now()],
  ])
  const parts: readonly Part[] = [...members, 'cache', 'queue', 'postgresql']
  // Processes fall twice as often as anything else.
  const names = [...parts, ...members, ...Object.keys(others)]

  async function fall(name: string): Promise<void> {
    const other = others[name]
    const ms = 500 + 8000 * chance.part()
    const member = members.find((each) => each === name)
    const isStopped = member !== undefined && chance.part() < 0.3
    fallen.push(`${new Date().toISOString()} ${name}${isStopped ? ', stopped' : ''}, ${Math.round(ms)} ms`)
    if (other !== undefined) {
      await other.go()
      await pause(ms)
      await other.come()
    } else if (isStopped) {
      fleet.signal(member, 'SIGSTOP')
      await pause(ms)
      fleet.signal(member, 'SIGCONT')
    } else {
      await fleet.kill(name as Part)
      await pause(ms / 2)
      await fleet.start(name as Part)
    }
  }

  return {
    fallen: () => fallen,
    isSettled: (front: Front) => !down.has(front) && Date.now() - (upSince.get(front) ?? 0) > SETTLED_MS,
    async one(): Promise<void> {
      const name = chance.oneOf(names)
      const thing = name.startsWith('the mail server') ? 'the mail server' : name
      if (down.has(thing)) return
      down.add(thing)
      await fall(name)
      if (name === 'front A' || name === 'front B') upSince.set(name, Date.now())
      down.delete(thing)
    },
  }
}
