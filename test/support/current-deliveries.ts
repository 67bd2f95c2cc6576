import type { Queryable } from '#src/storage/database.ts'
import { type DeliveryStatus, listDeliveries } from '#src/storage/shareholders/deliveries.ts'

/** The deliveries that are their year's, newest year first. */
export async function currentDeliveries(db: Queryable): Promise<DeliveryStatus[]> {
  const deliveries = await listDeliveries(db, 1000)
  return deliveries.filter(({ tilstand }) => tilstand === 'gjeldende')
}
