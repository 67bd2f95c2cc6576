import fc from 'fast-check'
import { expect } from 'vitest'
import { CacheUnavailableError, CompanyErasedError } from '#src/cache/errors.ts'
import { startRedis } from '#test/support/redis.ts'
import { startTcpProxy } from '#test/support/tcp-proxy.ts'
import {
  createTestClock,
  createTestSource,
  found,
  HOUR,
  lasting,
  MINUTE,
  type OneProcess,
  Outage,
  startProcess,
  untilTrue,
} from './one-process.ts'

/** What can happen to a company in two processes; the second has its Redis behind a wire that can be cut. */
const event = fc.oneof(
  { weight: 6, arbitrary: fc.record({ is: fc.constant('read' as const), by: fc.nat({ max: 1 }) }) },
  // A whole answer is put beside its copies, and asked for.
  { weight: 3, arbitrary: fc.record({ is: fc.constant('share' as const), by: fc.nat({ max: 1 }) }) },
  { weight: 4, arbitrary: fc.record({ is: fc.constant('shared' as const), by: fc.nat({ max: 1 }) }) },
  { weight: 3, arbitrary: fc.record({ is: fc.constant('feed' as const), by: fc.nat({ max: 1 }) }) },
  { weight: 2, arbitrary: fc.record({ is: fc.constant('kill' as const), by: fc.nat({ max: 1 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      is: fc.constant('clock' as const),
      ms: fc.constantFrom(MINUTE / 2, 2 * MINUTE, 2 * HOUR, 30 * HOUR),
    }),
  },
  { weight: 2, arbitrary: fc.record({ is: fc.constantFrom('away' as const, 'back' as const) }) },
  { weight: 2, arbitrary: fc.record({ is: fc.constantFrom('partition' as const, 'heal' as const) }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('erase' as const) }) },
)

/** What is true, whatever the cache believes. The source's answer is its edition. */
function createModel() {
  let edition = 1
  let isErased = false
  let toldOf = 1
  let cutAt: number | null = null
  return {
    isAway: false,
    current: () => edition,
    cut: (at: number) => (cutAt = at),
    erase: () => (isErased = true),
    /** The source changes, and its feed says so. */
    change: () => (edition += 1),
    told: () => (toldOf = edition),
    /**
     * What a read may give; who is cut off, or was just now, may go on for a minute, not knowing what others were told: from then
     * on, or from when it asked the source itself, which it may all the time.
     */
    allows(how: string, shown: number, ageMs: number, at: number, isCut: boolean, wasCut: boolean): boolean {
      if (isErased && !isCut) return false
      if (how === 'miss' || how === 'collapsed') return shown === edition
      if (how === 'stale' || how === 'stale-if-error') return ageMs < lasting.staleMs
      const mayNotKnow = wasCut && cutAt !== null && at - Math.max(cutAt, at - ageMs) < MINUTE
      return ageMs < lasting.freshMs && (shown >= toldOf || mayNotKnow)
    },
    allowsNone: (error: unknown, isAway: boolean) =>
      error instanceof CompanyErasedError ? isErased : error instanceof Outage && isAway,
  }
}

/**
 * Throws with the shortest run of events after which two processes and their Redis give what the model does not allow.
 *
 * @param seed of which runs are made; left out: others each time, and what fails names its own
 */
export async function checkCacheAgainstModel(numRuns: number, seed?: number): Promise<void> {
  const redis = await startRedis()
  const { hostname: host, port } = new URL(redis.url)
  const wire = await startTcpProxy({ upstream: { host, port: Number(port) } })
  const urls = [redis.url, `redis://${wire.host}:${wire.port}`]
  let number = 930_000_000
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 3, maxLength: 25 }), async (events) => {
        const key = { company: String(number++), section: 'enhet' }
        const clock = createTestClock()
        const source = createTestSource()
        const model = createModel()
        let isCut = false
        const start = (by: number) =>
          startProcess({
            redisUrl: urls[by] ?? null,
            clock,
            leaseMs: LEASE_MS,
            awaitsRedis: by === 0 || !isCut,
          })
        const processes = await Promise.all([start(0), start(1)])
        const at = () => clock.now().getTime()
        source.answers(() => {
          if (model.isAway) throw new Outage()
          return found(String(model.current()))
        })

        async function read(by: number): Promise<void> {
          const one = processes[by] as OneProcess
          const calls = source.calls
          const cut = isCut && by === 1
          // Whoever is cut off can not give back what it has begun: it is waited for until that ends.
          await one.cache.getOrFetch(key, one.wish(source, { deadlineMs: 4 * LEASE_MS })).then(
            ({ how, entry }) => {
              const shown = Number(entry.body.toString())
              const said = { how, shown, ageMs: at() - entry.fetchedAt, cut }
              expect({
                ...said,
                isAllowed: model.allows(how, shown, said.ageMs, at(), cut, by === 1),
              }).toEqual({
                ...said,
                isAllowed: true,
              })
            },
            (error) => {
              if (!model.allowsNone(error, model.isAway)) throw error
            },
          )
          expect(source.calls - calls).toBeLessThanOrEqual(1)
          await one.cache.settled()
        }

        /** What was read fresh, as a reader puts it together: it says which edition it is of, and until when it is true. */
        async function share(by: number): Promise<void> {
          const { cache, wish } = processes[by] as OneProcess
          const served = await cache.getOrFetch(key, wish(source)).catch(() => null)
          if (served === null || served.how === 'stale' || served.how === 'stale-if-error') return
          const { entry } = served
          if (!cache.isCurrent(key.company, new Map([[key.section, entry]]))) return
          const keep = cache.sharing(key.company, [key.section], 'the model')
          await cache.settled()
          const about = [entry.body.toString(), entry.fetchedAt, entry.freshUntil].join(' ')
          await keep?.({ about, bytes: entry.body }, 10 * MINUTE)
        }

        async function readShared(by: number): Promise<void> {
          const { cache } = processes[by] as OneProcess
          const found = cache.mayShare(key.company)
            ? await cache.sharedAnswer(key.company, 'the model', 'gzip', [key.section])
            : null
          if (found === null) return
          const [shown = 0, fetchedAt = 0, freshUntil = 0] = found.about.split(' ').map(Number)
          if (at() >= freshUntil) return
          const cut = isCut && by === 1
          const said = { how: 'redis', shown, ageMs: at() - fetchedAt, cut }
          const isAllowed = model.allows('redis', shown, said.ageMs, at(), cut, by === 1)
          expect({ ...said, isAllowed }).toEqual({ ...said, isAllowed: true })
        }

        /** Does it in one process, and waits until the other has heard, if it can. */
        async function tell(by: number, act: (one: OneProcess) => Promise<unknown>): Promise<boolean> {
          const [one, other] = [processes[by] as OneProcess, processes[1 - by] as OneProcess]
          const before = other.changes.length
          try {
            await act(one)
          } catch (error) {
            if (!(error instanceof CacheUnavailableError)) throw error
            return false
          }
          if (isCut) return by === 0
          await untilTrue(() => other.changes.length > before)
          return true
        }

        try {
          for (const each of events) {
            if (each.is === 'read') await read(each.by)
            else if (each.is === 'share') await share(each.by)
            else if (each.is === 'shared') await readShared(each.by)
            else if (each.is === 'clock') clock.advance(each.ms)
            else if (each.is === 'away' || each.is === 'back') model.isAway = each.is === 'away'
            else if (each.is === 'feed') {
              model.change()
              // The feed goes on with the next page when this has been told, and not before.
              if (await tell(each.by, ({ cache }) => cache.invalidate(key.company))) model.told()
            } else if (each.is === 'erase') {
              for (const { erased } of processes) erased.add(key.company)
              await tell(0, ({ cache }) => cache.erase(key.company))
              model.erase()
            } else if (each.is === 'kill') {
              const erased = processes[each.by]?.erased ?? []
              await processes[each.by]?.close()
              processes[each.by] = await start(each.by)
              // A process reads the tombstones before it answers anybody.
              for (const company of erased) processes[each.by]?.erased.add(company)
            } else if (each.is === 'partition' && !isCut) {
              isCut = true
              model.cut(at())
              await wire.down()
              // Whoever is told something now knows who hears it.
              await untilTrue(() => processes[1]?.cache.stats().isListening === false)
            } else if (each.is === 'heal' && isCut) {
              await wire.up()
              isCut = false
              await untilTrue(
                () =>
                  processes[1]?.redis?.isUsable() === true && processes[1].cache.stats().isListening === true,
              )
            }
          }
        } finally {
          if (isCut) await wire.up()
          await Promise.all(processes.map((one) => one.close()))
        }
      }),
      { numRuns, endOnFailure: true, ...(seed !== undefined && { seed }) },
    )
  } finally {
    await wire.close()
    await redis.close()
  }
}

/** As long as a question may take: only who is gone loses it, on however busy a machine. */
const LEASE_MS = 5000
