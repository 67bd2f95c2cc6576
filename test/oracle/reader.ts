import { policy } from '#config/policy.ts'
import { type Organisasjonsnummer, parseOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import { createArchivedAccounts } from '#src/record/archived-accounts.ts'
import { industryCodes } from '#src/record/industry-codes.ts'
import { NO_PERSON_IDS } from '#src/record/person-ids.ts'
import { readRecord } from '#src/record/read.ts'
import type { AnswersCatalogue, CompanyAnswers } from '#src/samples/answers.ts'
import { createSampleRegisters } from '#src/samples/registers.ts'
import { addressesAt } from '#src/sources/addresses.ts'
import { createIndustryCodesSource } from '#src/sources/klass/industry-codes.ts'
import type { SourceCall } from '#src/sources/source.ts'
import { liveSourcesOf } from '#src/wiring/registers.ts'
import type { Said } from './judge.ts'

const NOW = new Date('2026-11-22T06:00:00Z')
const REGISTERS = {
  registerUrl: 'https://register.example',
  kunngjoringUrl: 'https://kunngjoring.example',
  klassUrl: 'https://klass.example',
}
const call = { signal: new AbortController().signal }
const notImported = async () => ({ outcome: 'not_imported' }) as const
const STATUS = { record: 200, unknown: 404, removed: 410, unavailable: 503 } as const

/** Reads companies as the service does, source by source and section by section, from answers that lie in memory. */
export async function createReader({ companies, klass }: AnswersCatalogue) {
  // Read at each question: the company that is asked for answers otherwise for a while.
  const answers = new Map(companies)
  const client = createSampleRegisters({ companies: answers, klass }, () => NOW)
  const live = liveSourcesOf(
    { register: client, kunngjoring: client, klass: client },
    { callsPerSecond: () => Number.MAX_SAFE_INTEGER, hasPagesForPeople: true },
  )
  const accounts = createArchivedAccounts({
    fetchRegnskap: live.regnskap,
    archive: {
      read: async () => [],
      keep: async (filings) => filings.map(() => 'uendret'),
      erase: async () => {},
    },
    log: { warn() {} },
    policy: policy.accountsArchive,
  })
  const codes = await createIndustryCodesSource(client).fetchIndustryCodes(call)
  if (codes.outcome !== 'found') throw new Error('the industry codes are not among the answers')
  const known = industryCodes({ ...codes.value, loadedAt: codes.fetchedAt }, true)
  const faults: unknown[] = []
  // What does not change is heard once: most of the time would go by reading the same answers over and over.
  const heard = new Map<string, Promise<unknown>>()
  let drifting: readonly string[] = []
  function once<T>(
    source: string,
    ask: (orgnr: Organisasjonsnummer, by: SourceCall) => Promise<T>,
  ): typeof ask {
    return (orgnr, by) => {
      if (drifting.includes(source)) return ask(orgnr, by)
      const key = `${source} ${orgnr}`
      const known = heard.get(key) ?? ask(orgnr, by)
      heard.set(key, known)
      return known as Promise<T>
    }
  }
  const reader = {
    sources: {
      enhet: once('enhet', live.enhet),
      underenhet: once('underenhet', live.underenhet),
      roller: once('roller', live.roller),
      signatur: once('signatur', live.signatur),
      prokura: once('prokura', live.prokura),
      regnskap: once('regnskap', accounts.fetchRegnskap),
      kunngjoringer: once('kunngjoringer', live.kunngjoringer),
      konsern: once('konsern', live.konsern),
      underenheter: once('underenheter', live.underenheter),
      regnskapskopier: once('regnskapskopier', live.regnskapskopier),
      rollerIAndreForetak: once('rollerIAndreForetak', live.rollerIAndreForetak),
      aksjonaerer: notImported,
      eierskap: notImported,
    },
    industryCodes: () => known,
    addresses: addressesAt(REGISTERS),
    // Computed, and in no answer.
    personIds: () => NO_PERSON_IDS,
    deadlineMs: 60_000,
    onFault: (_section: string, error: unknown) => faults.push(error),
  }

  return {
    /** @throws whatever the code throws that is no failure of a register */
    async read(orgnr: string, instead: CompanyAnswers = {}): Promise<Said> {
      answers.set(orgnr, { ...companies.get(orgnr), ...instead })
      drifting = Object.keys(instead)
      const reading = await readRecord(parseOrganisasjonsnummer(orgnr), reader)
      answers.set(orgnr, companies.get(orgnr) ?? {})
      if (faults.length > 0) throw faults.pop()
      return {
        status: STATUS[reading.outcome],
        record: reading.outcome === 'record' ? JSON.stringify(reading.record) : '',
        refused: reading.outcome === 'unavailable' ? reading.avvik : [],
      }
    },
  }
}
