import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { openEmbeddedDatabase } from '#src/embedded/embedded-database.ts'
import { ROLE } from '#src/embedded/names.ts'
import type { Database } from '#src/storage/database.ts'
import { migrate } from '#src/storage/migrate.ts'
import { makeDataFolder } from './data-folder.ts'
import { asOwner } from './embedded/as-owner.ts'
import { freePorts } from './free-ports.ts'
import { type MailServer, startMailServer } from './mail-server.ts'
import { type ServiceProcess, startProcess } from './processes.ts'
import { startRedis, type TestRedis } from './redis.ts'
import type { RegisterStandIn } from './register-stand-in.ts'
import { loadIndustryCodes } from './service.ts'
import { seller, vippsVariables } from './shop-service.ts'
import { openTestPool } from './test-pool.ts'
import { variablesOf } from './variables-of.ts'
import { startVippsStandIn, type VippsStandIn } from './vipps-stand-in.ts'

/** The service that sells, as in production: processes of its own, and all they keep is on a disk that can be searched. */
export type SaleDeployment = {
  readonly database: Database
  readonly databaseUrl: string
  /** PostgreSQL's own files: `data/base`, `data/pg_wal`, `server.log`. */
  readonly databaseFolder: string
  readonly cacheRedis: TestRedis
  readonly queueRedis: TestRedis
  readonly vipps: VippsStandIn
  readonly mail: MailServer
  /** Where buyers come: the first front. */
  readonly origin: string
  readonly fronts: readonly [ServiceProcess, ServiceProcess]
  /** Ends the worker as a new release would, and starts another. */
  replaceWorker(): Promise<void>
  /** All that any of the processes has written. */
  output(): string
  /** Where each process's operators' side listens, the fronts' first and the worker's last. */
  opsAddresses(): string[]
  close(): Promise<void>
}

/** @param more variables for all of its processes, besides those it takes to sell */
export async function startSaleDeployment(
  register: RegisterStandIn,
  more: Readonly<Record<string, string>> = {},
): Promise<SaleDeployment> {
  const folder = await makeDataFolder('oppslag-sale-')
  const opened: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })]
  const keep = <T extends { close(): Promise<void> }>(thing: T): T => {
    opened.push(() => thing.close())
    return thing
  }
  async function close(): Promise<void> {
    for (const end of opened.splice(0).reverse()) await end()
  }

  try {
    const { url: databaseUrl } = keep(await openEmbeddedDatabase({ dataDir: folder }))
    // So that what is searched on disk is all there.
    await asOwner(databaseUrl, folder, `grant pg_checkpoint to ${ROLE}`)
    await migrate({ url: databaseUrl })
    const database = keep(openTestPool(databaseUrl, 3))
    await loadIndustryCodes({ database })
    const cacheRedis = keep(await startRedis({ isKept: true }))
    const queueRedis = keep(await startRedis({ isKept: true }))
    const vipps = keep(await startVippsStandIn())
    const mail = keep(await startMailServer())
    const [port = 0] = await freePorts(1)
    const origin = `http://127.0.0.1:${port}`
    const variables = {
      ...variablesOf({
        register,
        databaseUrl,
        cacheRedisUrl: cacheRedis.url,
        queueRedisUrl: queueRedis.url,
      }),
      PUBLIC_URL: origin,
      MILJO: 'test',
      ...seller,
      ...vippsVariables(vipps),
      SMTP_URL: mail.url,
      MAIL_FROM: 'Oppslag <nokler@oppslag.example>',
      ...more,
    }
    const processes: ServiceProcess[] = []
    opened.push(() => Promise.all(processes.map((each) => each.end('SIGKILL'))))
    const start = async (door: 'api' | 'worker', own: Record<string, string> = {}) => {
      const started = await startProcess(door, { ...variables, ...own })
      processes.push(started)
      return started
    }
    const [first, second, worker] = await Promise.all([
      start('api', { PORT: String(port) }),
      start('api'),
      start('worker'),
    ])
    let working = worker
    const output = () => processes.map((each) => each.output()).join('\n')
    return {
      database,
      databaseUrl,
      databaseFolder: join(folder, 'postgres'),
      cacheRedis,
      queueRedis,
      vipps,
      mail,
      origin,
      fronts: [first, second],
      async replaceWorker() {
        await working.end('SIGTERM')
        working = await start('worker')
      },
      output,
      opsAddresses: () => [first, second, working].map((each) => each.opsAddress()),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
