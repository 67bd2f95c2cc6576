import { randomUUID } from 'node:crypto'
import type { Environment } from '#config/environment.ts'
import { policy } from '#config/policy.ts'
import type { Clock } from '#src/core/clock.ts'
import type { Log } from '#src/core/log.ts'
import { readVersion } from '#src/ops/version.ts'
import { createCompanyReader } from '#src/record/company-reader.ts'
import { createForcedRefresh } from '#src/record/forced-refresh.ts'
import { createIndustryCodesHolder } from '#src/record/industry-codes-holder.ts'
import { createMadeUnder } from '#src/record/made-under.ts'
import { createManyReader } from '#src/record/many.ts'
import { createSharedRecords } from '#src/record/shared-records.ts'
import { addressesAt } from '#src/sources/addresses.ts'
import { readIndustryCodes } from '#src/storage/industry-codes.ts'
import type { Storage } from '#src/storage/open-storage.ts'
import type { OpenedThings } from './opened.ts'
import { createSandbox } from './sandbox.ts'
import type { openTestKeys } from './test-keys.ts'
import type { Tiers } from './tiers.ts'

export type Readers = Awaited<ReturnType<typeof openReaders>>

/** Whoever reads companies in this process, one or many, in front or behind it: the turns are theirs together. */
export async function openReaders({
  environment,
  storage,
  tiers: { cache, answers, cached, tombstones, hidden, archive, personIds, lifetimes },
  testKeys,
  clock,
  keyClock,
  log,
  opened,
}: {
  environment: Environment
  storage: Storage
  tiers: Tiers
  testKeys: Awaited<ReturnType<typeof openTestKeys>>
  clock: Clock
  /** The invented companies live by it, in every process the same, and test keys end by it. */
  keyClock: Clock
  log: Log
  opened: OpenedThings
}) {
  const holder = opened.keep(
    'industry codes',
    createIndustryCodesHolder({
      read: () => readIndustryCodes(storage.database),
      clock,
      log,
      policy: policy.industryCodes,
    }),
  )
  await holder.start()
  const addresses = addressesAt(environment)
  const reader = createCompanyReader({
    cache,
    answers,
    cached,
    tombstones,
    hidden,
    refreshes: createForcedRefresh({
      claim: (orgnr, forMs) => cache.claim(`fersk-${orgnr}`, forMs),
      clock,
      policy: policy.fersk,
    }),
    industryCodes: holder.current,
    addresses,
    personIds,
    sharedRecords: createSharedRecords({
      cache,
      answers,
      madeUnder: createMadeUnder({
        release: releaseOf(environment),
        edition: archive.register.edition,
        lifetimes,
        industryCodes: holder.current,
        personIds,
        addresses,
        erased: tombstones.asWord,
      }),
      clock,
      policy: policy.cache,
    }),
    clock,
    deadlineMs: environment.answerDeadlineMs,
    onFault: (seksjon, error) => log.error({ err: error, seksjon }, 'a fault of ours cost a section'),
    policy: { ...policy.cache, readings: policy.readings },
  })
  const many = createManyReader({
    reader,
    erased: (named) => `${named === undefined ? tombstones.asWord() : tombstones.wordOf(named)} ${hidden()}`,
    clock,
    policy: policy.many,
  })
  const sandbox = createSandbox({
    clock: keyClock,
    log,
    ownKey: testKeys.read,
    isEnded: testKeys.isEnded,
    end: testKeys.end,
  })
  return {
    reader,
    many,
    sandbox,
    industryCodes: holder.current,
    manyFor: ({ prove }: { prove: boolean }) => (prove ? sandbox.many : many),
  }
}

/** Where nobody says which it is, this process is a release of its own. */
function releaseOf(environment: Environment): string {
  const version = readVersion(environment)
  return version.endsWith('+unknown') ? `${version} ${randomUUID()}` : version
}
