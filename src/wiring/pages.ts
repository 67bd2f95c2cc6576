import type { Environment } from '#config/environment.ts'
import type { Front } from '#src/http/app.ts'
import type { Sales } from '#src/sales/sales.ts'
import type { Webhooks } from '#src/sales/webhooks.ts'

/** Where Vipps lets buyers pay. Which of its hosts a buyer is sent on to is not documented, and has changed. */
const PAYMENT_PAGES = ['https://*.vipps.no', 'https://*.vippsmobilepay.com']

/** What the pages for people need: the sale, who sells, and where buyers are sent to pay. */
export function pagesOf(
  { sale, vipps, contact }: Environment,
  { sales, webhooks }: { sales: Sales; webhooks: Webhooks | null },
): Front['pages'] {
  return {
    sales,
    webhooks,
    seller: sale?.seller ?? null,
    contact,
    paymentOrigins: vipps === null ? [] : [...PAYMENT_PAGES, new URL(vipps.url).origin],
  }
}
