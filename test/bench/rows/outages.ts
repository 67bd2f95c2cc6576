import { setTimeout as pause } from 'node:timers/promises'
import { Pool } from 'undici'
import { issueKey } from '#src/access/issue-key.ts'
import { systemClock } from '#src/core/clock.ts'
import { revokeKey } from '#src/storage/keys.ts'
import { type Aim, median } from '../row.ts'
import type { Stage } from '../stage.ts'
import { readAll } from './readings.ts'

export type OutageCourse = { revocations: number; outages: number }

/** How soon a key that was revoked is refused everywhere, and what a Redis that falls silent costs whoever reads next. */
export async function outageRows(stage: Stage, { revocations, outages }: OutageCourse): Promise<Aim[]> {
  const fronts = [await stage.startFront(), await stage.startFront()]
  const addresses = fronts.map(({ address }) => address)
  const refusedMs: number[] = []
  for (let times = 0; times < revocations; times++) refusedMs.push(await revocation(stage, addresses))
  for (const front of fronts) await front.stop()

  const fresh = stage.numbers.standard.values()
  const lostMs: number[] = []
  for (let times = 0; times < outages; times++) lostMs.push(await outage(stage, fresh))
  return [
    {
      what: '7. a revoked key is refused by every front after (most)',
      found: Math.max(...refusedMs) / 1000,
      limit: 1,
      unit: 's',
    },
    {
      what: '7. the first answer after Redis fell silent: a cold record + (most)',
      found: Math.max(...lostMs),
      limit: 50,
      unit: 'ms',
    },
  ]
}

/** Companies that the outages use up. */
export function outageCompanies({ outages }: OutageCourse): number {
  return outages * (WARMING + ORDINARY + 1)
}

const WARMING = 50
const ORDINARY = 20
const REFUSED_MS_MAX = 60_000

/** From the word that it is revoked until nobody takes it any more. @returns milliseconds */
async function revocation({ storage: { database } }: Stage, addresses: readonly string[]): Promise<number> {
  const { id, token } = await issueKey(
    { db: database, clock: systemClock },
    { epost: 'bench@example.com', miljo: 'live' },
  )
  const statusAt = async (address: string) => {
    const headers = { authorization: `Bearer ${token}` }
    return (await fetch(`${address}/api/bedrift/status`, { headers })).status
  }
  const begunAt = performance.now()
  const until = async (address: string, status: number) => {
    while ((await statusAt(address)) !== status) {
      if (performance.now() - begunAt > REFUSED_MS_MAX)
        throw new Error(`${address} does not answer ${status}`)
      await pause(2)
    }
  }
  for (const address of addresses) await until(address, 200)
  const revokedAt = performance.now()
  await revokeKey(database, id, new Date())
  await Promise.all(addresses.map((address) => until(address, 401)))
  return performance.now() - revokedAt
}

/** A front of its own for each, since only the first to read does not know yet. @returns milliseconds */
async function outage(stage: Stage, fresh: Iterator<string>): Promise<number> {
  const take = (count: number) => Array.from({ length: count }, () => fresh.next().value ?? '')
  const front = await stage.startFront()
  const readers = new Pool(front.address, { connections: 1 })
  const read = async (orgnr: string) => {
    const begunAt = performance.now()
    const { statusCode, body } = await readers.request({
      method: 'GET',
      path: `/api/bedrift/${orgnr}`,
      headers: stage.headers,
    })
    await body.dump()
    if (statusCode !== 200) throw new Error(`${orgnr}: ${statusCode}`)
    return performance.now() - begunAt
  }
  try {
    await readAll(stage, front.address, take(WARMING), 4)
    const ordinary: number[] = []
    for (const orgnr of take(ORDINARY)) ordinary.push(await read(orgnr))
    stage.cacheRedis.pause()
    const [orgnr = ''] = take(1)
    return (await read(orgnr)) - median(ordinary)
  } finally {
    stage.cacheRedis.resume()
    await readers.close()
    await front.stop()
  }
}
