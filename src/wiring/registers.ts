import type { Environment } from '#config/environment.ts'
import { policy } from '#config/policy.ts'
import type { Log } from '#src/core/log.ts'
import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import type { ArchiveSource, RegisterSource } from '#src/core/source-names.ts'
import { createArchivedAccounts } from '#src/record/archived-accounts.ts'
import type { Sources } from '#src/record/cached-sources.ts'
import type { ShareRegister } from '#src/record/share-register.ts'
import { createBulkSource } from '#src/sources/enhetsregisteret/bulk.ts'
import { createFeedSource } from '#src/sources/enhetsregisteret/feeds.ts'
import { createRolesSource } from '#src/sources/enhetsregisteret/roles.ts'
import { createSearchSource } from '#src/sources/enhetsregisteret/search.ts'
import { createUnitSource } from '#src/sources/enhetsregisteret/unit.ts'
import { createAuthoritySource } from '#src/sources/fullmakt/authority.ts'
import { createGuard, type Guard } from '#src/sources/guard.ts'
import { createIndustryCodesSource } from '#src/sources/klass/industry-codes.ts'
import { createAnnouncementSource } from '#src/sources/kunngjoringer/announcements.ts'
import type { Questions } from '#src/sources/probes.ts'
import { createRegisterClient, type RegisterClient } from '#src/sources/register-client.ts'
import { createRegisterDownloads } from '#src/sources/register-download.ts'
import { type AccountsSource, createAccountsSource } from '#src/sources/regnskap/accounts.ts'
import { eraseAccounts, keepFilings, readKeptFilings } from '#src/storage/accounts-archive.ts'
import type { Database } from '#src/storage/database.ts'

export type Registers = ReturnType<typeof openRegisters>

/**
 * Every register the service speaks to, each source behind its guard.
 *
 * @param callsPerSecond to the announcements page; asked before each call
 */
export function openRegisters(
  environment: Environment,
  callsPerSecond: () => number = () => environment.kunngjoringCallsPerSecond,
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
    sources: sourcesOf(
      { register, kunngjoring },
      { enabled: environment.kunngjoringer === 'w2', callsPerSecond, ...policy.announcements },
    ),
    guards: guards(),
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
    enhet: (call) => sources.enhet(REGISTER_ITSELF, call),
    underenhet: (call) => sources.underenhet(REGISTER_ITSELF, call),
    roller: (call) => sources.roller(REGISTER_ITSELF, call),
    signatur: (call) => sources.signatur(REGISTER_ITSELF, call),
    prokura: (call) => sources.prokura(REGISTER_ITSELF, call),
    regnskap: (call) => sources.regnskap(REGISTER_ITSELF, call),
    kunngjoringer: (call) => sources.kunngjoringer(REGISTER_ITSELF, call),
    sok: (call) => sources.sok({ navn: 'Brønnøysundregistrene', metode: null, size: 1 }, call),
    aksjonaerer: () => archive.aksjonaerer(REGISTER_ITSELF),
    eierskap: () => archive.eierskap(REGISTER_ITSELF),
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

type LiveSources = Omit<Sources, 'regnskap'> & { regnskap: AccountsSource['fetchRegnskap'] }

/** What a record and a search ask, of registers that are spoken to through these clients. */
export function sourcesOf(
  { register, kunngjoring }: Record<'register' | 'kunngjoring', RegisterClient>,
  announcing: Parameters<typeof createAnnouncementSource>[1],
): LiveSources {
  const units = createUnitSource(register)
  const authority = createAuthoritySource(register)
  const announcements = createAnnouncementSource(kunngjoring, announcing)
  return {
    enhet: units.fetchEnhet,
    underenhet: units.fetchUnderenhet,
    roller: createRolesSource(register).fetchRoller,
    signatur: authority.fetchSignatur,
    prokura: authority.fetchProkura,
    regnskap: createAccountsSource(register).fetchRegnskap,
    kunngjoringer: announcements.fetchKunngjoringer,
    sok: createSearchSource(register).searchEnheter,
  }
}

function guards(): Record<RegisterSource, Guard> {
  return {
    enhet: createGuard('enhet', policy.guard),
    underenhet: createGuard('underenhet', policy.guard),
    roller: createGuard('roller', policy.guard),
    signatur: createGuard('signatur', policy.guard),
    prokura: createGuard('prokura', policy.guard),
    regnskap: createGuard('regnskap', policy.guard),
    kunngjoringer: createGuard('kunngjoringer', policy.guard),
    sok: createGuard('sok', policy.guard),
  }
}
