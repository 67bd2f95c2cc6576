import { policy } from '#config/policy.ts'
import { acceptFiling } from '#src/imports/accounts/accept-filing.ts'
import { readJsonLine } from '#src/imports/accounts/read-json-line.ts'
import { createArchivedAccounts } from '#src/record/archived-accounts.ts'
import { industryCodes } from '#src/record/industry-codes.ts'
import type { RegisterSources, ServedAnswer } from '#src/record/parts.ts'
import type { Sources } from '#src/record/read.ts'
import type { IndustryCodes } from '#src/record/sections/naering.ts'
import { archivedAccounts } from '#src/samples/archived-accounts.ts'
import { createSampleRegisters } from '#src/samples/registers.ts'
import { samplesAt } from '#src/samples/samples.ts'
import { troubles } from '#src/samples/troubles.ts'
import { createIndustryCodesSource } from '#src/sources/klass/industry-codes.ts'
import type { SourceCall } from '#src/sources/source.ts'
import type { KeptFiling } from '#src/storage/accounts-archive.ts'
import { liveSourcesOf } from '../registers.ts'

/** What a record asks of registers, answered by the sample registers and the accounts an operator would have imported. */
export async function openSampleRegisters(
  now: Date,
  call: SourceCall,
  catalogue = samplesAt(now),
): Promise<{ sources: RegisterSources & Pick<Sources, 'sok'>; industryCodes: IndustryCodes }> {
  const client = createSampleRegisters(catalogue, () => now)
  const live = liveSourcesOf(
    { register: client, kunngjoring: client, klass: client },
    // Nobody is asked.
    { callsPerSecond: () => Number.MAX_SAFE_INTEGER, hasPagesForPeople: true },
  )
  const kept = keptFilings(now)
  const accounts = createArchivedAccounts({
    fetchRegnskap: live.regnskap,
    archive: {
      read: async (orgnr) => kept.filter((filing) => filing.orgnr === orgnr),
      keep: async (filings) => filings.map(() => 'uendret'),
      erase: async () => {},
    },
    log: { warn() {} },
    policy: policy.accountsArchive,
  })
  const sources = { ...live, regnskap: accounts.fetchRegnskap }
  const codes = await createIndustryCodesSource(client).fetchIndustryCodes(call)
  return {
    sources: { ...sources, ...withOlderCopies(sources) },
    industryCodes:
      codes.outcome === 'found' ? industryCodes({ ...codes.value, loadedAt: codes.fetchedAt }, true) : null,
  }
}

function keptFilings(now: Date): KeptFiling[] {
  return archivedAccounts(now)
    .trimEnd()
    .split('\n')
    .flatMap(readJsonLine)
    .map((filing) => acceptFiling(filing, { felt: null, at: now }))
}

/** Where a register has stopped answering about a company, what it said before is shown as the older copy it is. */
function withOlderCopies(sources: RegisterSources): RegisterSources {
  const older = troubles
    .filter(({ hasCopy }) => hasCopy)
    .map(({ orgnr: troubled, source }) => {
      const ask = sources[source] as (orgnr: string, call: SourceCall) => Promise<ServedAnswer<unknown>>
      const asked: typeof ask = async (orgnr, call) => {
        const answer = await ask(orgnr, call)
        return orgnr === troubled ? { ...answer, stale: { failure: null } } : answer
      }
      return [source, asked]
    })
  return { ...sources, ...Object.fromEntries(older) }
}
