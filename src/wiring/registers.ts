import type { Environment } from '#config/environment.ts'
import { policy } from '#config/policy.ts'
import type { Log } from '#src/core/log.ts'
import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import { createArchivedAccounts } from '#src/record/archived-accounts.ts'
import type { ShareRegister } from '#src/record/share-register.ts'
import { type AskRegister, askOf } from '#src/sources/ask.ts'
import { createBulkSource } from '#src/sources/enhetsregisteret/bulk.ts'
import { createFeedSource } from '#src/sources/enhetsregisteret/feeds.ts'
import { createSearchSource } from '#src/sources/enhetsregisteret/search.ts'
import { createGuard } from '#src/sources/guard.ts'
import {
  type ArchiveSource,
  archiveSources,
  askedOf,
  type CompanySource,
  companySources,
  forEach,
  registerSources,
  type SourceValues,
  sourceOf,
} from '#src/sources/index.ts'
import { createIndustryCodesSource } from '#src/sources/klass/industry-codes.ts'
import type { Questions } from '#src/sources/probes.ts'
import type { Host } from '#src/sources/register.ts'
import { createRegisterClient, type RegisterClient } from '#src/sources/register-client.ts'
import { createRegisterDownloads } from '#src/sources/register-download.ts'
import { askSparingly } from '#src/sources/sparingly.ts'
import { eraseAccounts, keepFilings, readKeptFilings } from '#src/storage/accounts-archive.ts'
import type { Database } from '#src/storage/database.ts'

export type Registers = ReturnType<typeof openRegisters>

/**
 * Every register the service speaks to, each source behind its guard.
 *
 * @param callsPerSecond what readers may ask of a source that is asked sparingly; asked before each call
 */
export function openRegisters(
  environment: Environment,
  callsPerSecond: CallsPerSecond = (source) => sourceOf(source).sparing?.callsPerSecond(environment) ?? 0,
) {
  const userAgent = `bedriftsoppslag/1 (${environment.contact})`
  const open = (url: string, bodyBytesMax: number) =>
    createRegisterClient({ baseUrl: new URL(url), userAgent, ...policy.registers, bodyBytesMax })
  const register = open(environment.registerUrl, policy.registers.bodyBytesMax)
  const changes = open(environment.registerUrl, policy.feeds.bodyBytesMax)
  const kunngjoring = open(environment.kunngjoringUrl, policy.registers.bodyBytesMax)
  const downloads = createRegisterDownloads({
    baseUrl: new URL(environment.registerUrl),
    userAgent,
    connectTimeoutMs: policy.registers.connectTimeoutMs,
    silenceMs: policy.searchIndex.silenceMs,
    fileBytesMax: policy.searchIndex.fileBytesMax,
  })
  const klass = open(environment.klassUrl, policy.industryCodes.bodyBytesMax)

  return {
    sources: liveSourcesOf(
      { register, kunngjoring, klass },
      { callsPerSecond, hasPagesForPeople: environment.kunngjoringer === 'w2' },
    ),
    guards: forEach(registerSources, (name) => createGuard(name, askedOf(name).guard)),
    feeds: createFeedSource(changes),
    bulk: createBulkSource(downloads, policy.searchIndex),
    industryCodes: createIndustryCodesSource(klass),
    async close() {
      await Promise.all([register, changes, kunngjoring, klass, downloads].map((client) => client.close()))
    },
  }
}

/** What a source is asked to see whether it is well. That it has nothing of the company is as good an answer. */
export function questionsOf({ sources }: Registers, archive: Pick<ShareRegister, ArchiveSource>): Questions {
  return {
    ...forEach(companySources, (name) => (call) => sources[name](REGISTER_ITSELF, call)),
    sok: (call) => sources.sok({ navn: 'Brønnøysundregistrene', metode: null, size: 1 }, call),
    ...forEach(archiveSources, (name) => () => archive[name](REGISTER_ITSELF)),
  }
}

/** Brønnøysundregistrene, who keep the registers. */
const REGISTER_ITSELF = '974760673' as Organisasjonsnummer

/** The accounts register with the archive behind it. To be closed before the database. */
export function openArchivedAccounts(
  { sources }: Registers,
  { database, log }: { database: Database; log: Log },
) {
  return createArchivedAccounts({
    fetchRegnskap: sources.regnskap,
    archive: {
      read: (orgnr) => readKeptFilings(database, orgnr),
      keep: (filings) => keepFilings(database, filings),
      erase: (orgnr) => eraseAccounts(database, orgnr),
    },
    log,
    policy: policy.accountsArchive,
  })
}

export type LiveSources = { [Name in CompanySource]: AskRegister<SourceValues[Name]> } & {
  sok: ReturnType<typeof createSearchSource>['searchEnheter']
}

type CallsPerSecond = (source: CompanySource) => number

/**
 * What a record and a search ask, of registers that are spoken to through these clients.
 *
 * @param hasPagesForPeople whether pages that are meant for people are asked at all
 */
export function liveSourcesOf(
  clients: Record<Host, RegisterClient>,
  { callsPerSecond, hasPagesForPeople }: { callsPerSecond: CallsPerSecond; hasPagesForPeople: boolean },
): LiveSources {
  const asks = forEach(companySources, (name) => {
    const source = sourceOf(name)
    const client = clients[source.register.host]
    const { sparing } = source
    if (sparing === null) return askOf(source, client)
    return askSparingly(source, client, {
      ...sparing,
      enabled: hasPagesForPeople || !sparing.isForPeople,
      callsPerSecond: () => callsPerSecond(name),
    })
  })
  // Each under its own name, so of its own value.
  return { ...(asks as LiveSources), sok: createSearchSource(clients.register).searchEnheter }
}
