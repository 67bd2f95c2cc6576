import { serverOf } from '#test/support/server-of.ts'
import { startTcpProxy } from '#test/support/tcp-proxy.ts'
import { openTestPool } from '#test/support/test-pool.ts'
import type { Sellers, World } from './crashes.ts'
import { sell } from './seller.ts'
import { hasty, openShop } from './shop.ts'

/**
 * Sellers in this process that die as killed ones do: the connections to PostgreSQL, the mail server and Vipps are cut, none
 * is opened again, and nobody comes back from the point of death. All that one can do to others goes over these three, so
 * that nothing it might do afterwards is done.
 */
export const mortals: Sellers = {
  shareDeath: true,
  start(role, diesAt, world) {
    const death = Promise.withResolvers<void>()
    const ended = new AbortController()

    async function live() {
      const { storage, mail, vipps, request } = world
      const ways = await openWays({ storage: storage.url, mail: mail.url, vipps: vipps.url })
      const database = openTestPool(ways.storage, 4)
      const shop = openShop({
        db: database,
        vipps: { url: ways.vipps, credentials: vipps.credentials },
        mailUrl: ways.mail,
        changes: hasty,
        async reached(point) {
          if (point !== diesAt || died.has(world)) return
          died.add(world)
          await ways.cut()
          death.resolve()
          await new Promise(() => {})
        },
      })
      sell(role, shop.sales, request, ended.signal).then(
        () => death.reject(new Error(`it was to die at ${diesAt}, and came to its end`)),
        death.reject,
      )
      return async () => {
        await ways.cut()
        await shop.close()
        await database.close()
      }
    }

    const living = live()
    living.catch(death.reject)
    // Only who waits for its death is told that it did not die.
    death.promise.catch(() => {})
    return {
      died: () => death.promise,
      async kill() {
        ended.abort()
        await (await living)()
      },
    }
  },
}

/** Where one has died already. */
const died = new WeakSet<World>()

/** A way of its own to each server: the same address, but for the host and port. */
async function openWays(addresses: { storage: string; mail: string; vipps: string }) {
  const [storage, mail, vipps] = await Promise.all(
    [addresses.storage, addresses.mail, addresses.vipps].map(async (address) => {
      const proxy = await startTcpProxy({ upstream: serverOf(address) })
      return { proxy, url: address.replace(new URL(address).host, `${proxy.host}:${proxy.port}`) }
    }),
  )
  if (!storage || !mail || !vipps) throw new Error('each address has its way')
  return {
    storage: storage.url,
    mail: mail.url,
    vipps: vipps.url,
    cut: () => Promise.all([storage, mail, vipps].map(({ proxy }) => proxy.close())),
  }
}
