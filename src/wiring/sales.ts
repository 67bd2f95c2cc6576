import type { Environment } from '#config/environment.ts'
import { policy } from '#config/policy.ts'
import type { Clock } from '#src/core/clock.ts'
import type { Log } from '#src/core/log.ts'
import { WEBHOOK_PATH } from '#src/front/vipps-webhook.ts'
import type { JobQueue } from '#src/queue/open-queue.ts'
import type { Shop, TestKeys } from '#src/sales/ports.ts'
import { createSales, type Sales } from '#src/sales/sales.ts'
import { createPayments } from '#src/sales/vipps-payments.ts'
import { createWebhooks, type Webhooks } from '#src/sales/webhooks.ts'
import type { Storage } from '#src/storage/open-storage.ts'
import { createVipps, type Vipps } from '#src/vipps/client.ts'
import type { OpenedThings } from './opened.ts'
import { openPost } from './post.ts'

/**
 * The sale, as far as it is configured: with a seller, a price and access to Vipps it is open. `webhooks` are our
 * registrations for what Vipps tells; null without access.
 */
export function openSales({
  environment,
  storage,
  queue,
  publicUrl,
  knownUrl,
  testKeys,
  clock,
  salesClock,
  log,
  opened,
}: {
  environment: Environment
  storage: Storage
  queue: JobQueue
  /** Where the pages are, as buyers reach them; without a trailing slash. */
  publicUrl: () => string
  /** The same, as soon as it is certain: where Vipps sends its messages is not guessed. */
  knownUrl: () => string | null
  testKeys: TestKeys
  clock: Clock
  /** What is sold, due and over is dated by it, in every process the same. */
  salesClock: Clock
  log: Log
  opened: OpenedThings
}): { sales: Sales; webhooks: Webhooks | null; mail: ReturnType<typeof openPost> } {
  const vipps = openVipps(environment, { clock, log, opened })
  const mail = openPost(environment, { publicUrl, log, opened })
  const { post, domain } = mail
  const sales = createSales({
    db: storage.database,
    clock: salesClock,
    log,
    shop: openShop(environment, vipps),
    post,
    testKeys,
    links: {
      order: (token, sprak) => `${publicUrl()}/ordre/${token}${sprak === null ? '' : `?lang=${sprak}`}`,
      replace: (token) => `${publicUrl()}/nokkel/erstatt/${token}`,
      renew: (token) => `${publicUrl()}/nokkel/forny/${token}`,
      endpoints: () => `${publicUrl()}/endepunkter`,
    },
    mailDomain: domain,
    policy: policy.sales,
    reached: () => {},
    ring: async (gjelder) => {
      await queue.enqueue('follow-order', [{ gjelder }])
    },
  })
  const webhooks =
    vipps === null
      ? null
      : createWebhooks({
          db: storage.database,
          vipps,
          url: () => {
            const known = knownUrl()
            return known === null ? null : known + WEBHOOK_PATH
          },
          clock: salesClock,
          log,
          policy: policy.vipps,
        })
  return { sales, webhooks, mail }
}

/** Vipps as the environment has it, closed with what is opened; null without access. */
export function openVipps(
  { vipps }: Environment,
  { clock, log, opened }: { clock: Clock; log: Log; opened: OpenedThings },
): Vipps | null {
  if (vipps === null) return null
  const { url, ...credentials } = vipps
  return opened.keep(
    'vipps',
    createVipps({
      baseUrl: url,
      ...credentials,
      systemName: 'bedriftsoppslag',
      systemVersion: '1',
      clock,
      deadlineMs: policy.sales.paymentDeadlineMs,
      log,
    }),
  )
}

function openShop({ sale, vipps, miljo }: Environment, client: Vipps | null): Shop | null {
  if (sale === null || vipps === null || client === null) return null
  const { isOpen, product, priceOre, currency, seller, english } = sale
  return {
    payments: createPayments(client, vipps.merchantSerialNumber),
    offer: { product, priceOre, currency, seller, english, miljo },
    isOpen,
  }
}
