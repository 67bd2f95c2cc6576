import type { FastifyInstance } from 'fastify'
import type { Environment } from '#config/environment.ts'
import { policy } from '#config/policy.ts'
import { createVerifier } from '#src/access/verify.ts'
import { type Clock, systemClock } from '#src/core/clock.ts'
import { createLog, type Log } from '#src/core/log.ts'
import { createApp } from '#src/http/app.ts'
import { createIndustryCodesHolder } from '#src/record/industry-codes-holder.ts'
import { type RecordSources, readRecord } from '#src/record/read-record.ts'
import { type SearchSources, search } from '#src/record/search.ts'
import { createRolesSource } from '#src/sources/enhetsregisteret/roles.ts'
import { createSearchSource } from '#src/sources/enhetsregisteret/search.ts'
import { createUnitSource } from '#src/sources/enhetsregisteret/unit.ts'
import { createAuthoritySource } from '#src/sources/fullmakt/authority.ts'
import { createIndustryCodesSource } from '#src/sources/klass/industry-codes.ts'
import { createAnnouncementSource } from '#src/sources/kunngjoringer/announcements.ts'
import { createRegisterClient, type RegisterClient } from '#src/sources/register-client.ts'
import { createAccountsSource } from '#src/sources/regnskap/accounts.ts'
import { readIndustryCodes, replaceIndustryCodes } from '#src/storage/industry-codes.ts'
import { findKeyById } from '#src/storage/keys.ts'
import { openStorage, type Storage } from '#src/storage/open-storage.ts'
import { startWorkers, type Workers } from '#workers/run.ts'

/** Things opened, newest last; closed in reverse, each even when another fails to close. */
type Opened = { name: string; close(): void | Promise<void> }[]

export type Service = {
  app: FastifyInstance
  log: Log
  /** Listens where the environment says. @returns the address it got */
  listen(): Promise<string>
  close(): Promise<void>
}

/**
 * Opens every live thing of the front once, in order, and hands each what it needs. What was opened is closed again, in
 * reverse, when the service closes or a later step fails.
 *
 * @param parts `workers`: also run the background work in this process
 */
export async function openService(
  environment: Environment,
  parts: { workers: boolean; clock?: Clock },
): Promise<Service> {
  const clock = parts.clock ?? systemClock
  const log = createLog({ level: environment.logLevel, file: environment.logFile })
  const opened: Opened = [{ name: 'log', close: () => log.flushed() }]
  const keep = <T>(name: string, thing: T & { close(): void | Promise<void> }): T => {
    opened.push({ name, close: () => thing.close() })
    return thing
  }
  try {
    const storage = keep('storage', await openDatabase(environment, log))
    const clients = openClients(environment)
    keep('registers', clients)
    const { record, finder } = sourcesOf(environment, clients)
    const holder = keep('industry codes', industryCodesHolder(storage, clock, log))
    await holder.start()
    const verifier = createVerifier({
      findKeyById: (id) => findKeyById(storage.database, id),
      clock,
      policy: policy.keys,
      onFault: (error) => log.error({ err: error }, 'a key could not be checked again'),
    })
    let address: string | null = environment.publicUrl
    const deadlineMs = environment.answerDeadlineMs
    const app = await createApp({
      readRecord: (orgnr) =>
        readRecord(orgnr, { sources: record, industryCodes: holder.current, deadlineMs }),
      search: (query) =>
        search(query, { sources: finder, deadlineMs, candidatesMax: policy.search.candidatesMax }),
      verifier,
      clock,
      log,
      policy: policy.http,
      trustProxy: environment.trustProxy,
      publicUrl: () => address ?? `http://${environment.host}:${environment.port}`,
    })
    keep('front', { close: () => app.close() })
    if (parts.workers) keep('workers', backgroundWork(storage, clients.klass, clock, log))
    return {
      app,
      log,
      async listen() {
        const got = await app.listen({ port: environment.port, host: environment.host })
        address ??= got
        return got
      },
      close: () => closeAll(opened, log),
    }
  } catch (error) {
    await closeAll(opened, log)
    throw error
  }
}

/** The background work alone, for a process of its own. */
export async function openWorkers(environment: Environment): Promise<{ log: Log; close(): Promise<void> }> {
  const log = createLog({ level: environment.logLevel, file: environment.logFile })
  const opened: Opened = [{ name: 'log', close: () => log.flushed() }]
  try {
    const storage = await openDatabase(environment, log)
    opened.push({ name: 'storage', close: () => storage.close() })
    const clients = openClients(environment)
    opened.push({ name: 'registers', close: clients.close })
    const workers = backgroundWork(storage, clients.klass, systemClock, log)
    opened.push({ name: 'workers', close: () => workers.close() })
    return { log, close: () => closeAll(opened, log) }
  } catch (error) {
    await closeAll(opened, log)
    throw error
  }
}

async function closeAll(opened: Opened, log: Log): Promise<void> {
  for (const { name, close } of opened.splice(0).reverse()) {
    try {
      await close()
    } catch (error) {
      log.error({ err: error }, `${name} could not be closed`)
    }
  }
}

function openDatabase({ databaseUrl, dataDir }: Environment, log: Log): Promise<Storage> {
  const onLog = (message: string) => log.debug(message)
  return openStorage({ databaseUrl, dataDir, applicationName: 'bedriftsoppslag', poolMax: 10, onLog })
}

type Clients = {
  register: RegisterClient
  kunngjoring: RegisterClient
  klass: RegisterClient
  close(): Promise<void>
}

function openClients(environment: Environment): Clients {
  const userAgent = `bedriftsoppslag/1 (${environment.contact})`
  const open = (url: string, bodyBytesMax: number = policy.registers.bodyBytesMax) =>
    createRegisterClient({ baseUrl: new URL(url), userAgent, ...policy.registers, bodyBytesMax })
  const register = open(environment.registerUrl)
  const kunngjoring = open(environment.kunngjoringUrl)
  const klass = open(environment.klassUrl, policy.industryCodes.bodyBytesMax)
  return {
    register,
    kunngjoring,
    klass,
    close: async () => {
      await Promise.all([register.close(), kunngjoring.close(), klass.close()])
    },
  }
}

function sourcesOf(
  environment: Environment,
  clients: Clients,
): { record: RecordSources; finder: SearchSources } {
  const units = createUnitSource(clients.register)
  const authority = createAuthoritySource(clients.register)
  const announcements = createAnnouncementSource(clients.kunngjoring, {
    enabled: environment.kunngjoringer === 'w2',
    callsPerSecond: environment.kunngjoringCallsPerSecond,
    ...policy.announcements,
  })
  const record: RecordSources = {
    enhet: units.fetchEnhet,
    underenhet: units.fetchUnderenhet,
    roller: createRolesSource(clients.register).fetchRoller,
    signatur: authority.fetchSignatur,
    prokura: authority.fetchProkura,
    regnskap: createAccountsSource(clients.register).fetchRegnskap,
    kunngjoringer: announcements.fetchKunngjoringer,
  }
  const { searchEnheter } = createSearchSource(clients.register)
  return { record, finder: { enhet: record.enhet, underenhet: record.underenhet, sok: searchEnheter } }
}

function industryCodesHolder({ database }: Storage, clock: Clock, log: Log) {
  return createIndustryCodesHolder({
    read: () => readIndustryCodes(database),
    clock,
    log,
    policy: policy.industryCodes,
  })
}

function backgroundWork({ database }: Storage, klass: RegisterClient, clock: Clock, log: Log): Workers {
  const source = createIndustryCodesSource(klass)
  return startWorkers({
    clock,
    log,
    industryCodes: {
      readLoad: async () => {
        const stored = await readIndustryCodes(database)
        return (
          stored && {
            loadedAt: stored.loadedAt,
            isWhole: stored.sn2025Codes !== null && stored.sn2007Codes !== null,
          }
        )
      },
      fetch: async (signal) => {
        const answer = await source.fetchIndustryCodes({ signal })
        if (answer.outcome !== 'found')
          throw new Error(`industry codes: found ${answer.outcome}, expected a table`)
        return answer.value
      },
      replace: (codes) => replaceIndustryCodes(database, codes),
    },
  })
}
