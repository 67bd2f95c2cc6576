import { setTimeout as pause } from 'node:timers/promises'
import { readKey } from '#src/core/api-key.ts'
import { type Aim, share } from '../row.ts'
import type { Stage } from '../stage.ts'
import { rename, until } from './events.ts'
import { followLog, openReceiver } from './told.ts'
import { watch } from './watchers.ts'

/** Events one by one, at any moment between two looks at the feed: how long each is on its way to who watches. */
export async function delayRows(stage: Stage, { events }: { events: number }): Promise<Aim[]> {
  const receiver = stage.keep(await openReceiver(), (thing) => thing.close())
  const named = { WEBHOOK_HOSTS: receiver.origin }
  const { address: front } = await stage.startFront({ env: named })
  stage.startWorker(named)
  const watched = stage.numbers.standard.slice(0, events)
  const key = readKey(stage.token)
  if (typeof key === 'string') throw new Error(key)
  await watch(stage.storage.database, key.id, watched, `${receiver.origin}/en`)
  await until('all have been looked at', 600_000, () => areLookedAt(stage, watched.length))

  const log = followLog(stage, front)
  const published = new Map<string, number>()
  try {
    for (const orgnr of watched) {
      published.set(orgnr, rename(stage, orgnr, 'FORNYET'))
      await pause(EVERY_MS * (0.5 + Math.random()))
    }
    const isTold = (orgnr: string) => log.seen.has(orgnr) && receiver.arrived.has(orgnr)
    await until('all are told of', 120_000, () => watched.every(isTold))
  } finally {
    await log.stop()
  }
  const waits = (told: ReadonlyMap<string, number>) =>
    watched.map((orgnr) => ((told.get(orgnr) ?? Number.NaN) - (published.get(orgnr) ?? 0)) / 1000)
  const row = (what: string, told: ReadonlyMap<string, number>, limit: number): Aim => {
    const all = waits(told)
    const found = share(all, 0.99)
    return {
      what: `${what}, p99 of ${events} (median ${share(all, 0.5).toFixed(1)} s)`,
      found,
      limit,
      unit: 's',
    }
  }
  return [
    row('register’s event → the change read from the log by long poll', log.seen, 15),
    row('… → its webhook delivered', receiver.arrived, 20),
  ]
}

const EVERY_MS = 200

/** Every one of them has been seen as it was, by its unit. */
export async function areLookedAt({ storage }: Stage, count: number): Promise<boolean> {
  const [row] = await storage.database.query<{ count: number }>(
    `select count(*)::int as count from grunnlag where kilde = 'enhet' and not prove`,
  )
  return (row?.count ?? 0) >= count
}
