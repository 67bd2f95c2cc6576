import { openTestPool } from '#test/support/test-pool.ts'
import type { VippsStandIn } from '#test/support/vipps-stand-in.ts'
import { type Role, sell } from './seller.ts'
import { hasty, openShop } from './shop.ts'

/**
 * A process of the sale, there to be killed: at the point it is told, at the first time it gets there, by itself and without
 * a chance to clean up. As `front` it takes one order and ends; as `worker` it works until its parent is gone.
 */
const [role = '', diesAt = '', databaseUrl = '', mailUrl = '', vippsAccess = '', request = '{}'] =
  process.argv.slice(2)

const database = openTestPool(databaseUrl, 4)
const { sales } = openShop({
  db: database,
  vipps: JSON.parse(vippsAccess) as Pick<VippsStandIn, 'url' | 'credentials'>,
  mailUrl,
  changes: hasty,
  reached(point) {
    if (point === diesAt) process.kill(process.pid, 'SIGKILL')
  },
})
process.on('disconnect', () => process.exit())

await sell(role as Role, sales, JSON.parse(request))
process.exit()
