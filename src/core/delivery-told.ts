import { channel } from 'node:diagnostics_channel'

/** What became of one attempt to send a change: taken, or why not. */
export type DeliveryTold = { outcome: string; tookMs: number }

/** Listeners get a `DeliveryTold`, synchronously. */
export const DELIVERY_CHANNEL = 'bedriftsoppslag:delivery'

const deliveries = channel(DELIVERY_CHANNEL)

export function tellDelivery(told: DeliveryTold): void {
  if (deliveries.hasSubscribers) deliveries.publish(told)
}
