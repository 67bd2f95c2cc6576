import type { Environment } from '#config/environment.ts'
import type { Clock } from '#src/core/clock.ts'
import type { Front } from '#src/front/app.ts'
import type { Sales } from '#src/sales/sales.ts'
import type { Webhooks } from '#src/sales/webhooks.ts'
import { createSamples } from './samples.ts'

/** Where Vipps lets buyers pay. Which of its hosts a buyer is sent on to is not documented, and has changed. */
const PAYMENT_PAGES = ['https://*.vipps.no', 'https://*.vippsmobilepay.com']

/** What the pages for people need: the sale, who sells, where buyers are sent to pay, and what a record looks like. */
export function pagesOf(
  { sale, vipps, contact }: Environment,
  {
    sales,
    webhooks,
    clock,
    samplesAreRegistered,
  }: { sales: Sales; webhooks: Webhooks | null; clock: Clock; samplesAreRegistered: boolean },
): Front['pages'] {
  return {
    sales,
    webhooks,
    samples: createSamples({ clock, areRegistered: samplesAreRegistered }),
    seller: sale?.seller ?? null,
    contact,
    paymentOrigins: vipps === null ? [] : [...PAYMENT_PAGES, new URL(vipps.url).origin],
  }
}
