import { policy } from '#config/policy.ts'
import type { Cache } from '#src/cache/cache.ts'
import type { Clock } from '#src/core/clock.ts'
import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import { obey } from '#src/ops/cache-orders.ts'
import { lookAtCompany, type SeenCompany, sectionsToRefresh } from '#src/ops/company.ts'
import { createSteering, type Steering } from '#src/ops/steering.ts'
import type { JobQueue } from '#src/queue/open-queue.ts'
import { decideOrder } from '#src/sales/decide-order.ts'
import { refundOrder } from '#src/sales/refund-order.ts'
import { replaceAsOperator } from '#src/sales/replace-key.ts'
import { revokeAsOperator } from '#src/sales/revoke-key.ts'
import { giveCacheOrder } from '#src/storage/cache-orders.ts'
import type { Database } from '#src/storage/database.ts'
import { feedEventsOf } from '#src/storage/feed-events.ts'
import type { Storage } from '#src/storage/open-storage.ts'
import { buryCompanies } from '#src/storage/tombstones.ts'
import type { OpenTuning } from './tuning.ts'

/** What operators can do, over what has been opened: by the operators' side of a process and by the oppslag command. */
export function openSteering({
  storage: { database },
  queue,
  cache,
  tuning,
  clock,
  onErase = () => {},
}: {
  storage: Pick<Storage, 'database'>
  queue: Pick<JobQueue, 'enqueue'>
  cache: Pick<Cache, 'read' | 'purge' | 'purgeAll'>
  tuning: Pick<OpenTuning, 'tunables'>
  clock: Clock
  /** In this process at once; the others see the tombstone within seconds. */
  onErase?: (orgnr: Organisasjonsnummer, slettedato: null) => void
}): Steering {
  const look = companyLook({ database, cache, clock })
  return createSteering({
    db: database,
    clock,
    tunables: tuning.tunables,
    refresh: (refreshes) => queue.enqueue('refresh-company', refreshes),
    sectionsToRefresh: async (orgnr) => sectionsToRefresh(await look(orgnr)),
    async forget(order) {
      // The shared tier first: a process that obeys then finds nothing old there.
      await obey(cache, order)
      await giveCacheOrder(database, order)
    },
    async erase(orgnr, at) {
      await buryCompanies(database, [{ organisasjonsnummer: orgnr, slettedato: null, at }])
      onErase(orgnr, null)
      // The work stands in PostgreSQL; a queue that is away costs the time to the next sweep.
      await queue.enqueue('erase-company', [{ organisasjonsnummer: orgnr }]).catch(() => {})
    },
    async replaceKey(id, grunn) {
      const replacement = await replaceAsOperator({ db: database, clock, policy: policy.sales }, id, grunn)
      if (replacement?.utfall === 'sendes')
        await queue.enqueue('follow-order', [{ gjelder: replacement.gjelder }]).catch(() => {})
      return replacement?.utfall ?? null
    },
    refundOrder: (id) => refundOrder({ db: database, clock, policy: policy.sales }, id),
    decideOrder: (id) => decideOrder({ db: database, clock, policy: policy.sales }, id),
    revokeKey: (id) => revokeAsOperator({ db: database, clock, policy: policy.sales }, id),
    ring: async (gjelder) => {
      await queue.enqueue('follow-order', [{ gjelder }])
    },
  })
}

/** Looks at one company, as far as it can be seen from here. */
export function companyLook(from: {
  database: Database
  cache: Pick<Cache, 'read'>
  clock: Clock
  answer?: NonNullable<Parameters<typeof lookAtCompany>[0]['answer']>
}): (orgnr: Organisasjonsnummer) => Promise<SeenCompany> {
  const { database, ...rest } = from
  return (orgnr) =>
    lookAtCompany(
      { ...rest, feedEvents: (company) => feedEventsOf(database, company, EVENTS_SHOWN_MAX) },
      orgnr,
    )
}

const EVENTS_SHOWN_MAX = 20
