import type { Environment } from '#config/environment.ts'
import { policy } from '#config/policy.ts'
import type { Cache } from '#src/cache/cache.ts'
import { createLookWork } from '#src/changes/look-work.ts'
import type { ChangeMails } from '#src/changes/mails/mail-changes.ts'
import type { Clock } from '#src/core/clock.ts'
import type { Log } from '#src/core/log.ts'
import { isOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import { createBatchWork } from '#src/record/batches.ts'
import type { Sales } from '#src/sales/sales.ts'
import type { Webhooks } from '#src/sales/webhooks.ts'
import { archiveSources } from '#src/sources/index.ts'
import { eraseAccounts } from '#src/storage/accounts-archive.ts'
import { eraseFromBatches } from '#src/storage/batches.ts'
import { eraseFromChanges } from '#src/storage/changes/forget.ts'
import { eraseFeedEvents, keepFeedEvents } from '#src/storage/feed-events.ts'
import { readIndustryCodes, replaceIndustryCodes } from '#src/storage/industry-codes.ts'
import type { Storage } from '#src/storage/open-storage.ts'
import { eraseDeliveries } from '#src/storage/push/deliveries.ts'
import { bringBack } from '#src/storage/put-off.ts'
import { forgetCompanies } from '#src/storage/search/forget.ts'
import { eraseFromShareBooks } from '#src/storage/shareholders/erase-company.ts'
import type { Changes } from '#workers/effects.ts'
import { COPIES_PLACE } from '#workers/erased-copies.ts'
import { startWorkers, type Workers } from '#workers/run.ts'
import type { ClockWatch } from './clock-watch.ts'
import { createGoingThrough, forgetNaming } from './erasing.ts'
import { createInventedLook } from './invented-changes.ts'
import { openPushWork } from './push.ts'
import type { Readers } from './readers.ts'
import type { Registers } from './registers.ts'
import { searchIndexWork } from './search.ts'
import type { Tiers } from './tiers.ts'
import type { OpenTuning } from './tuning.ts'

/** The background work over what has been opened. */
export function startBackground({
  environment,
  storage,
  registers,
  tiers: { archive, cache, cached, queue, tombstones },
  readers,
  sales,
  webhooks,
  publicUrl,
  changeMails,
  tuning,
  clock,
  keyClock,
  clockWatch,
  log,
}: {
  environment: Environment
  storage: Storage
  registers: Registers
  tiers: Tiers
  readers: Pick<Readers, 'manyFor'>
  sales: Sales
  webhooks: Webhooks | null
  publicUrl: () => string
  changeMails: ChangeMails
  tuning: Pick<OpenTuning, 'current'>
  clock: Clock
  /** What keys are let to do is dated by it: what waits for them, and is kept for them. */
  keyClock: Clock
  clockWatch: Pick<ClockWatch, 'hasStood' | 'isTimeKnown'>
  log: Log
}): Workers {
  const { database } = storage
  const forgetNamingTogether = createGoingThrough(() => forgetNaming(cache))
  const forgetSharesTogether = createGoingThrough(() =>
    cache.purgeAll({ hard: true, sections: archiveSources }),
  )
  const told = new Set<string>()
  async function mayRemove(what: string): Promise<boolean> {
    const hasStood = await clockWatch.hasStood()
    if (hasStood) told.delete(what)
    else if (!told.has(what))
      log.info({ hva: what }, 'what can not be undone waits until the clock has stood for a day')
    if (!hasStood) told.add(what)
    return hasStood
  }
  const whenSure =
    <Given extends unknown[]>(what: string, remove: (...given: Given) => Promise<void>) =>
    async (...given: Given): Promise<void> => {
      if (await mayRemove(what)) await remove(...given)
    }
  const lookWork = createLookWork({
    database,
    clock: keyClock,
    policy: { ...policy.looks, ...policy.lookWork },
  })
  return startWorkers({
    clock,
    log,
    sales: {
      ...sales,
      removeOldTraces: whenSure('spor', sales.removeOldTraces),
      // One that was mailed before its time is not mailed when its time has come.
      writeReminders: whenSure('paaminnelser', sales.writeReminders),
    },
    webhooks,
    changeMails: { ...changeMails, removeOver: whenSure('overvakinger', changeMails.removeOver) },
    batches: createBatchWork({
      db: database,
      readerFor: readers.manyFor,
      clock: keyClock,
      policy: policy.batches,
    }),
    push: openPushWork({
      environment,
      storage,
      isErased: tombstones.isErased,
      publicUrl,
      clock: keyClock,
      mayRemove: () => mayRemove('endepunkter'),
      log,
    }),
    searchIndex: (remove) => searchIndexWork({ environment, storage, registers, remove, clock, log }),
    industryCodes: {
      readHeld: () => readIndustryCodes(database),
      fetch: async (signal) => {
        const answer = await registers.industryCodes.fetchIndustryCodes({ signal })
        if (answer.outcome !== 'found')
          throw new Error(`industry codes: found ${answer.outcome}, expected a table`)
        return answer.value
      },
      replace: (codes) => replaceIndustryCodes(database, codes),
    },
    upkeep: {
      database,
      queue,
      feeds: registers.feeds,
      cache: {
        async invalidate(changes) {
          const held = await invalidateAll(cache, changes)
          // For operators to look at: a change is no less applied for not being remembered.
          await keepFeedEvents(database, touchedBy(held), policy.ops.feedEventsKept).catch((error) =>
            log.warn({ err: error }, 'the events of a feed are not remembered'),
          )
          return held
        },
        invalidateAll: () => cache.purgeAll({ hard: false }),
      },
      notes: {
        read: cache.readNote,
        write: (name, note, how) => cache.writeNote(name, note, policy.cacheOrders.notedMs, how),
      },
      learned: tombstones.learned,
      watched: {
        ...lookWork,
        tidy: whenSure('endringer', lookWork.tidy),
        async lookInArchive(orgnr, { signal }) {
          if (!archive.register.isEmpty() && isOrganisasjonsnummer(orgnr))
            await cached.refresh(orgnr, 'aksjonaerer', signal)
        },
        lookAtInvented: createInventedLook({ database, clock: keyClock }),
      },
      async bringBack() {
        if (!clockWatch.isTimeKnown()) return
        const brought = await bringBack(database)
        if (Object.keys(brought).length > 0)
          log.warn({ brought }, 'what a clock that was ahead had put off is due')
      },
      refresh: (orgnr, section, { signal }) => cached.refresh(orgnr, section, signal),
      budgets: () => tuning.current().budgets,
      erasers: [
        {
          name: COPIES_PLACE,
          async erase(orgnr) {
            await cache.erase(orgnr)
            await forgetNamingTogether()
          },
        },
        {
          name: 'aksjonaerregister',
          async erase(orgnr) {
            const hasYears = await eraseFromShareBooks(database, Number(orgnr))
            // What was kept before of the companies it owned, or was owned by, names it.
            if (hasYears) await forgetSharesTogether()
          },
        },
        { name: 'regnskapsarkiv', erase: (orgnr) => eraseAccounts(database, orgnr) },
        {
          name: 'sokeindeks',
          erase: (orgnr) =>
            database.transaction((connection) => forgetCompanies(connection, [Number(orgnr)])),
        },
        { name: 'bestillinger', erase: (orgnr) => eraseFromBatches(database, orgnr) },
        { name: 'leveringer', erase: (orgnr) => eraseDeliveries(database, orgnr) },
        { name: 'endringer', erase: (orgnr) => eraseFromChanges(database, orgnr) },
        { name: 'feedhendelser', erase: (orgnr) => eraseFeedEvents(database, orgnr) },
      ],
    },
  })
}

/** Many at a time: most companies of a page are held nowhere, and the answer to that is one look away. */
async function invalidateAll(cache: Cache, changes: Changes): Promise<Changes> {
  const held = new Map<Parameters<Changes['get']>[0], NonNullable<ReturnType<Changes['get']>>>()
  const all = [...changes]
  for (let from = 0; from < all.length; from += policy.feeds.invalidateAtOnce) {
    const some = all.slice(from, from + policy.feeds.invalidateAtOnce)
    const wasHeld = await Promise.all(some.map(([orgnr, sections]) => cache.invalidate(orgnr, [...sections])))
    for (const [index, [orgnr, sections]] of some.entries()) if (wasHeld[index]) held.set(orgnr, sections)
  }
  return held
}

function touchedBy(changes: Changes) {
  return [...changes].map(([foretak, sections]) => ({ foretak, seksjoner: [...sections] }))
}
