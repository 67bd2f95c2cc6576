import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'
import { policy } from '#config/policy.ts'
import { openQueue } from '#src/queue/open-queue.ts'
import type { CompanyAnswers } from '#src/samples/answers.ts'
import { SAMPLE, sampleAnswers } from '../fixtures/samples/index.ts'
import {
  type Act,
  type Acts,
  COMPANIES_PER_CASE,
  type Given,
  given,
  isDone,
  type Prepared,
  prepareActs,
  type Told,
} from './acts.ts'
import { eventually } from './eventually.ts'
import { type Fleet, type Front, fronts, type Member, members, type Part, startFleet } from './fleet.ts'
import { inventNumbers } from './invented-companies.ts'
import { type RegisterStandIn, startRegisterStandIn } from './register-stand-in.ts'
import { startSteadyLoad } from './steady-load.ts'
import { wholeDatabase, wholeRedis } from './whole-contents.ts'

/**
 * - `acknowledged`: killed when all acts are acknowledged, by the very part that is killed where it can be asked.
 * - `underway`: killed in the moment in which they are asked for.
 * - `away`: asked for while it is dead.
 */
type Moment = 'acknowledged' | 'underway' | 'away'

/** The promises (P11, P17, P26); what is there sooner is not waited for longer. */
const WITHIN_MS = 60_000
/** Told, not found out: the promised second, on two cores that run a dozen processes. Looking takes twenty and more. */
const TOLD_WITHIN_MS = 5000

/** A fleet over registers of its own, and the reach that is tried on it. @param casesMax how many times it will be */
export async function startReach(casesMax: number) {
  const answers = sampleAnswers()
  const register = await startRegisterStandIn({ answers })
  const fleet = await startFleet(register)
  const sample = answers.companies.get(SAMPLE.healthy) ?? {}
  return {
    fleet,
    ...createReach(fleet, register, { sample, casesMax }),
    async close(): Promise<void> {
      await fleet.close()
      await register.close()
    },
  }
}

/**
 * Kills one part after another, and gives the acts of operators and registers around it.
 *
 * @param casesMax how many times it will be done
 */
function createReach(
  fleet: Fleet,
  register: RegisterStandIn,
  { sample, casesMax }: { sample: CompanyAnswers; casesMax: number },
) {
  const numbers = inventNumbers(COMPANIES_PER_CASE * casesMax)
  let tunedToSeconds = 2 * 3600

  async function prepare() {
    tunedToSeconds = tunedToSeconds === 2 * 3600 ? 5 * 3600 : 2 * 3600
    const own = numbers.splice(0, COMPANIES_PER_CASE)
    return prepareActs(fleet, register, { sample, numbers: own, tunedToSeconds })
  }

  /** What was acknowledged, or told by the feed, is so in every one of these fronts in time. */
  function haveReached(acts: Record<string, Act>, at: readonly Front[], told: readonly string[] = []) {
    return Promise.all(
      Object.entries(acts).flatMap(([name, act]) =>
        at.map((front) =>
          eventually(
            `${name} has reached ${front}`,
            () => act.hasReached(front),
            told.includes(name) ? TOLD_WITHIN_MS : WITHIN_MS,
          ),
        ),
      ),
    )
  }

  async function acknowledged(acts: Acts, names: readonly Given[], asked: Member): Promise<void> {
    for (const name of names)
      await eventually(`${name} is acknowledged`, async () => isDone(await acts[name].give(asked)), WITHIN_MS)
  }

  async function feedPosition(): Promise<number> {
    const [row] = await fleet.postgres.database.query<{ id: string }>(
      `select siste_id as id from feed_posisjon where feed = 'enheter'`,
    )
    return Number(row?.id)
  }

  /** Ends every line on which PostgreSQL tells of changes, as often as it is made anew. */
  async function silence(isOver: () => boolean): Promise<void> {
    for (; !isOver(); await pause(20))
      await fleet.postgres.database.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where application_name in ('oppslag nokkel_endret', 'oppslag stilling_endret')`,
      )
  }

  /** Whatever was killed, it is known for ever that they are erased, and nothing else is. */
  async function areForgotten(erased: Prepared['erased']): Promise<void> {
    await eventually(
      'they are erased from every place',
      async () => {
        const rows = await fleet.postgres.database.query(
          `select 1 from fjernet
           where organisasjonsnummer = any ($1) and utvisket_fra @> array['mellomlager', 'ko']`,
          [erased.map(({ orgnr }) => orgnr)],
        )
        return rows.length === erased.length
      },
      WITHIN_MS,
    )
    const everywhere = await Promise.all([
      wholeRedis(fleet.cache.url),
      wholeRedis(fleet.queue.url),
      wholeDatabase(fleet.postgres.database),
      fleet.output(),
    ])
    const left = erased.filter(({ word }) => everywhere.some((text) => text.includes(word)))
    expect(left).toEqual([])
  }

  /** Readers see nothing of it: those of the fronts that live get every answer, and nobody gets one that is none. */
  async function underLoad(living: readonly Front[], work: () => Promise<void>): Promise<void> {
    const loads = fronts.map((front) => ({
      front,
      load: startSteadyLoad(fleet.addressOf(front).front, {
        token: fleet.token,
        orgnr: SAMPLE.healthy,
        clients: 2,
        pauseMs: 100,
      }),
    }))
    try {
      await work()
    } finally {
      await Promise.all(loads.map(({ load }) => load.stop()))
    }
    for (const { front, load } of loads) {
      expect([...load.statuses], front).toEqual([200])
      if (living.includes(front)) expect(load.broken, front).toBe(0)
    }
  }

  async function noJobHasFailed(): Promise<void> {
    const queue = openQueue({
      redisUrl: fleet.queue.url,
      databaseUrl: fleet.postgres.url,
      waitingMax: policy.refresh.waitingMax,
      policy: policy.queue,
      onFault: () => {},
    })
    try {
      const depths = await queue.depths()
      expect(depths.filter(({ failed }) => failed > 0)).toEqual([])
    } finally {
      await queue.close()
    }
  }

  return {
    /** @param refused what can not be done while the part is away, and is said to be so */
    async whileKilled(part: Part, moment: Moment, refused: readonly Given[] = []): Promise<void> {
      const isMember = members.includes(part as Member)
      const living = fronts.filter((front) => front !== part)
      const asked = isMember && moment === 'acknowledged' ? (part as Member) : (living[0] ?? 'front A')
      const { acts, publish, erased } = await prepare()
      let isDead = false
      const kill = () => {
        isDead = true
        return fleet.kill(part)
      }
      const start = async () => {
        await fleet.start(part)
        isDead = false
      }
      await underLoad(living, async () => {
        try {
          if (moment === 'away') await kill()
          publish()
          const asking = Promise.all(given.map(async (name) => [name, await acts[name].give(asked)] as const))
          if (moment === 'underway') await kill()
          const told = await asking
          if (moment === 'acknowledged') await kill()
          saysSo(told, moment === 'underway' ? null : refused)

          if (!isMember) await start()
          const waiting = told.filter(([, answer]) => !isDone(answer)).map(([name]) => name)
          await acknowledged(acts, waiting, asked)
          // What PostgreSQL tells while it goes down, or before it is listened to again, may not be heard.
          await haveReached(acts, living, part === 'postgresql' ? [] : ['revoke', 'tune'])
          if (isMember) {
            await start()
            await haveReached(acts, fronts)
          }
        } finally {
          // The next case is about another part.
          if (isDead) await start()
        }
      })
      await areForgotten(erased)
      await noJobHasFailed()
    },

    /** The cache is lost while a front can not reach it, and all is told before that front is back. */
    async whileCutOff(): Promise<void> {
      const { acts, publish, erased } = await prepare()
      await fleet.wayOfFrontB.down()
      try {
        await fleet.kill('cache')
        await fleet.start('cache')
        await acknowledged(acts, given, 'front A')
        const last = publish()
        await eventually('the feed is followed', async () => (await feedPosition()) === last, WITHIN_MS)
      } finally {
        await fleet.wayOfFrontB.up()
      }
      // It alone holds them now, and nobody else has asked for them since.
      await haveReached(acts, ['front B'])
      await haveReached(acts, ['front A'])
      await areForgotten(erased)
    },

    /** PostgreSQL can be asked, but nobody who listens to it hears anything. */
    async whileUntold(): Promise<void> {
      const { acts, publish, erased } = await prepare()
      let isOver = false
      const silencing = silence(() => isOver)
      try {
        await acknowledged(acts, given, 'front A')
        publish()
        await haveReached(acts, fronts)
      } finally {
        isOver = true
        await silencing
      }
      await areForgotten(erased)
    },
  }
}

/** Done, or said not to be: nobody is left in doubt. */
function saysSo(told: readonly (readonly [Given, Told])[], refused: readonly Given[] | null): void {
  for (const [name, { status, text }] of told) {
    const isRefused = refused === null ? !isDone({ status, text }) : refused.includes(name)
    if (isRefused)
      expect({ name, status, text }).toMatchObject({ status: 503, text: expect.stringMatching(/\S/) })
    else expect({ name, status }).toMatchObject({ status: name === 'tune' ? 303 : 200 })
  }
}
