import { setTimeout as pause } from 'node:timers/promises'
import { policy } from '#config/policy.ts'
import type { OwnTestKey } from '#src/access/own-test-keys.ts'
import { PUBLIC_TEST_KEY, publicTestKey } from '#src/access/public-test-key.ts'
import { STORE_AWAY, UNKNOWN, type ValidKey, type Verdict } from '#src/access/verdict.ts'
import type { Clock } from '#src/core/clock.ts'
import type { Log } from '#src/core/log.ts'
import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import type { Sandbox } from '#src/front/sandbox.ts'
import { Problem } from '#src/http/problem.ts'
import { assemblePart } from '#src/record/assembled.ts'
import type { CompanyReading, PartAnswer } from '#src/record/company-reading.ts'
import { fields as allFields, aloneIn, type Field, onlyFields } from '#src/record/fields.ts'
import { type ListPage, pageOf } from '#src/record/list-page.ts'
import { createManyReader } from '#src/record/many.ts'
import { INVENTED } from '#src/record/own-words.ts'
import { failureReason } from '#src/record/provenance.ts'
import { readRecord, type SearchSources } from '#src/record/read.ts'
import type { RecordReading } from '#src/record/reading.ts'
import type { Bedrift } from '#src/record/record.ts'
import type { SectionName } from '#src/record/sections.ts'
import { createShareReader, type ShareReader } from '#src/record/share-reader.ts'
import { LIVING, livingAt, livingEdition } from '#src/samples/living.ts'
import { samplesAt } from '#src/samples/samples.ts'
import { noSearchTurns } from '#src/search/in-turn.ts'
import { createSearch } from '#src/search/search.ts'
import { addressesAt } from '#src/sources/addresses.ts'
import type { Guard } from '#src/sources/guard.ts'
import { StorageUnavailableError } from '#src/storage/database.ts'
import { keyOver } from '#src/storage/key-life.ts'
import { openSampleArchive } from './samples/archive.ts'
import { kept } from './samples/kept.ts'
import { openSampleRegisters } from './samples/registers.ts'
import { NOWHERE, SAMPLE_IDS } from './samples.ts'

/** Nothing is waited for: what takes so long is a fault. */
const DEADLINE_MS = 60_000
const RETRY_AFTER_SECONDS = 7

/**
 * What test keys are answered from: the invented companies, read as any company is, from registers that stand in
 * `src/samples`. It is handed no register, no cache and no database, so there is nothing real it could tell of (P94).
 *
 * @param ownKey whose test key a text is, besides everybody's; `isEnded` and `end` are of these
 * @param slowMs how long the slow company takes
 */
export function createSandbox({
  clock,
  log,
  ownKey = () => null,
  isEnded = () => false,
  end = async () => {},
  slowMs = 5000,
}: {
  clock: Clock
  log: Log
  ownKey?: (text: string) => OwnTestKey
  isEnded?: (id: string) => boolean
  end?: (key: ValidKey) => Promise<void>
  slowMs?: number
}): Sandbox {
  const archive = kept(
    () => clock.now().toISOString().slice(0, 10),
    () => openSampleArchive(clock.now(), () => SAMPLE_IDS),
  )
  const registers = kept(
    () => livingEdition(clock.now()),
    async () => {
      const now = clock.now()
      const { companies, klass } = samplesAt(now)
      const catalogue = { companies: new Map([...companies, ...livingAt(now)]), klass }
      const opened = await openSampleRegisters(now, { signal: AbortSignal.timeout(DEADLINE_MS) }, catalogue)
      return { ...opened, readings: new Map<string, Promise<RecordReading>>(), known: catalogue.companies }
    },
  )

  /** Put together once in each edition: everybody has the public key. */
  async function wholeOf(orgnr: Organisasjonsnummer, alone: SectionName | null): Promise<RecordReading> {
    const { sources, industryCodes, readings, known } = await registers()
    if (!known.has(orgnr)) return { outcome: 'unknown' }
    const name = `${orgnr} ${alone ?? ''}`
    const reading =
      readings.get(name) ??
      readRecord(orgnr, {
        sources: { ...sources, ...(await archive()).sources },
        industryCodes: () => industryCodes,
        addresses: addressesAt(NOWHERE),
        personIds: () => SAMPLE_IDS,
        deadlineMs: DEADLINE_MS,
        onFault: (seksjon, error) => log.error({ err: error, seksjon }, 'a fault of ours cost a sample'),
        alone,
      })
    readings.set(name, reading)
    return reading
  }

  async function read(
    orgnr: Organisasjonsnummer,
    chosen: readonly Field[] | null,
    fersk = false,
    page: ListPage | null = null,
  ): Promise<CompanyReading<PartAnswer>> {
    const forced = fersk ? 'gitt' : null
    if (orgnr === LIVING.unavailable) return { ...UNAVAILABLE, forced }
    if (orgnr === LIVING.slow) await pause(slowMs)
    const reading = await wholeOf(orgnr, page?.section ?? (chosen === null ? null : aloneIn(chosen)))
    if (reading.outcome !== 'record') return { ...reading, forced }
    const record = onlyFields(saidToBeInvented(reading.record), chosen ?? allFields)
    const shown = page && pageOf(record, page)
    const at = clock.now().getTime()
    return {
      outcome: 'record',
      answer: {
        ...assemblePart(shown ?? record, { freshUntil: at, fetchedAtOldest: at }),
        ...(shown && { neste: shown.neste }),
      },
      came: { by: 'miss', isStored: false },
      lacking: record.komplett ? null : 'source',
      forced,
    }
  }

  /** A refusal that no list has: there it is a line like any that has to be asked for again. */
  async function unlessTooMany(
    orgnr: Organisasjonsnummer,
    ...rest: [readonly Field[] | null, boolean, (ListPage | null)?]
  ): Promise<CompanyReading<PartAnswer>> {
    if (orgnr !== LIVING.tooMany) return read(orgnr, ...rest)
    throw new Problem('for_mange_forsok', { headers: { 'retry-after': String(RETRY_AFTER_SECONDS) } })
  }

  async function inLists(orgnr: Organisasjonsnummer, chosen: readonly Field[] | null) {
    return orgnr === LIVING.tooMany ? CROWDED : read(orgnr, chosen)
  }

  function verify(text: string): Verdict {
    const key = text === PUBLIC_TEST_KEY ? publicTestKey : ownKey(text)
    if (key === null) return UNKNOWN
    if (key === 'ukjent_ennaa') return STORE_AWAY
    const { utloper } = key
    const now = clock.now()
    const over = keyOver({ utloper, tilbakekalt: isEnded(key.id) ? now : null, slutter: null }, now)
    if (over === null) return { ok: true, key }
    return { ok: false, why: over === 'utlopt' ? 'utlopt' : 'tilbakekalt', utloper }
  }

  return {
    isTestKey: (text) => text === PUBLIC_TEST_KEY || ownKey(text) !== null,
    verifier: { verify },
    async endOwn(text) {
      const key = ownKey(text)
      if (key === 'ukjent_ennaa') throw new StorageUnavailableError(null)
      if (key === null) return false
      await end(key)
      return true
    },
    reader: {
      read: (orgnr, { fersk }) => unlessTooMany(orgnr, null, fersk),
      readPart: (orgnr, fields, { fersk, page }) => unlessTooMany(orgnr, fields, fersk, page),
      waiting: () => 0,
    },
    many: createManyReader({
      reader: {
        held: () => null,
        atHand: () => null,
        read: (orgnr) => inLists(orgnr, null),
        readPart: inLists,
      },
      erased: () => '',
      clock,
      // No turn is worth waiting for: it does not come.
      policy: { ...policy.many, patienceMs: 0 },
    }),
    search: {
      ...createSearch({
        db: { query: () => Promise.reject(new Error('the sandbox has no database')) },
        index: () => null,
        turns: noSearchTurns,
        cached: { forReader: () => ({ sources: searchSources(registers) }) },
        isErased: () => false,
        clock,
        log,
        deadlineMs: DEADLINE_MS,
        policy: policy.search,
      }),
      mayShow: () => true,
      toSn2025: () => [],
    },
    shares: sharesOf(async () => (await archive()).register),
  }
}

const CROWDED = { outcome: 'crowded', isOwn: true, forced: null } as const

const UNAVAILABLE = {
  outcome: 'unavailable',
  arsak: failureReason('feilstatus'),
  avvik: [],
  retryAfterSeconds: RETRY_AFTER_SECONDS,
} satisfies RecordReading

/** Wherever the record goes, it says what it is. */
function saidToBeInvented(record: Bedrift): Bedrift {
  const kilder = Object.entries(record.kilder).map(([name, kilde]) => [
    name,
    { ...kilde, kilde: kilde.kilde + INVENTED.nb },
  ])
  return { ...record, kilder: Object.fromEntries(kilder) }
}

function searchSources(registers: () => Promise<{ sources: SearchSources }>): SearchSources {
  return {
    enhet: async (...asked) => (await registers()).sources.enhet(...asked),
    underenhet: async (...asked) => (await registers()).sources.underenhet(...asked),
    sok: async (...asked) => (await registers()).sources.sok(...asked),
  }
}

function sharesOf(register: () => Promise<Parameters<typeof createShareReader>[0]['register']>): ShareReader {
  const through: Pick<Guard, 'run'> = { run: (_lane, ask, call) => ask(call) }
  const reader = async () =>
    createShareReader({
      register: await register(),
      guards: { aksjonaerer: through, eierskap: through },
      tombstones: { isErased: () => false, slettedatoOf: () => null },
      untold: () => '',
      deadlineMs: DEADLINE_MS,
    })
  return {
    holders: async (...asked) => (await reader()).holders(...asked),
    ownership: async (...asked) => (await reader()).ownership(...asked),
  }
}
