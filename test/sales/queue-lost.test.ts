import { randomBytes } from 'node:crypto'
import { Redis } from 'ioredis'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { policy } from '#config/policy.ts'
import { type JobQueue, openQueue } from '#src/queue/open-queue.ts'
import { registerBudgets } from '#src/sources/lanes.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'
import { handlersOf } from '#test/support/job-handlers.ts'
import { keyIn, type MailServer, startMailServer } from '#test/support/mail-server.ts'
import { startRedis, type TestRedis } from '#test/support/redis.ts'
import { startVippsStandIn, type VippsStandIn } from '#test/support/vipps-stand-in.ts'
import { keepSales } from '#workers/keep-sales.ts'
import { hasty, openShop, type TestShop } from './shop.ts'

const ORDERS = 12

let storage: TestDatabase
let redis: TestRedis
let vipps: VippsStandIn
let mail: MailServer
let queue: JobQueue
let shop: TestShop

beforeEach(async () => {
  ;[storage, redis, vipps, mail] = await Promise.all([
    createTestDatabase(),
    startRedis(),
    startVippsStandIn(),
    startMailServer(),
  ])
  queue = openQueue({
    redisUrl: redis.url,
    databaseUrl: storage.url,
    waitingMax: 1000,
    policy: policy.queue,
    onFault: () => {},
  })
  shop = openShop({
    db: storage.database,
    vipps,
    mailUrl: mail.url,
    changes: hasty,
    ring: async (gjelder) => void (await queue.enqueue('follow-order', [{ gjelder }])),
  })
})
afterEach(async () => {
  await queue.close()
  await shop.close()
  await Promise.all([mail.close(), vipps.close(), redis.close()])
  await storage.close()
})

describe('the bell', () => {
  test('P33: all of its Redis lost with mails pending: all are sent within one sweep', async () => {
    await paid()
    await eventually('the bell was rung', async () => (await jobs()) > 0)
    await onRedis((client) => client.flushall())
    const working = keepSales(shop.sales, {
      webhooks: null,
      log: pino({ level: 'silent' }),
      policy: policy.sales,
    })
    try {
      await eventually('all keys are mailed', () => keys() === ORDERS)
      expect(keys()).toBe(ORDERS)
    } finally {
      await working.close()
    }
  })

  test('is enough when nobody sweeps', async () => {
    const missing = () => Promise.reject(new Error('not expected here'))
    const working = queue.work(
      handlersOf({ 'follow-order': ({ gjelder }, call) => shop.sales.follow(gjelder, call) }, missing),
      {
        registers: registerBudgets,
        erasure: policy.erasure,
        sales: policy.sales,
        batches: policy.batches,
        push: policy.push,
      },
    )
    try {
      await paid()
      await eventually('all keys are mailed', () => keys() === ORDERS)
    } finally {
      await working.close()
    }
  })
})

/** Orders that were approved, with Vipps' word of it. */
async function paid(): Promise<void> {
  for (let order = 0; order < ORDERS; order += 1) {
    const { ordre } = await shop.sales.placeOrder({
      epost: `kjoper-${order}@example.no`,
      vilkaarGodtatt: true,
      idempotensToken: randomBytes(24).toString('base64url'),
    })
    const reference = `bo-${(await shop.sales.readOrder(ordre))?.nummer}-1`
    vipps.approve(reference)
    const { merchantSerialNumber } = vipps.credentials
    await shop.sales.noteWebhook({ merchantSerialNumber, reference, name: 'AUTHORIZED', pspReference: 'psp' })
  }
}

function keys(): number {
  return mail.mails.filter((one) => keyIn(one) !== null).length
}

async function jobs(): Promise<number> {
  return onRedis(
    async (client) => (await client.keys('*follow*')).length + (await client.keys('*levering*')).length,
  )
}

async function onRedis<T>(work: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(redis.url)
  try {
    return await work(client)
  } finally {
    client.disconnect()
  }
}
