import type { Environment } from '#config/environment.ts'
import { policy } from '#config/policy.ts'
import type { SearchFront } from '#src/api/routes/sok.ts'
import type { Clock } from '#src/core/clock.ts'
import type { Log } from '#src/core/log.ts'
import { nineDigits } from '#src/core/organisation-number.ts'
import type { IndustryCodes } from '#src/record/sections/naering.ts'
import { buildIndex, isBuildDue } from '#src/search/build.ts'
import { createSearchTurns } from '#src/search/in-turn.ts'
import { applyPending, catchUpFrom } from '#src/search/keep.ts'
import { createSearch } from '#src/search/search.ts'
import { createIndexWatch } from '#src/search/watch.ts'
import { createDatabase } from '#src/storage/database.ts'
import type { Storage } from '#src/storage/open-storage.ts'
import {
  type Build,
  isBuildLeft,
  noteBuildFailure,
  readIndexState,
  readLiveIndex,
} from '#src/storage/search/build-state.ts'
import { noteChanges } from '#src/storage/search/changes.ts'
import type { SearchIndexWork } from '#workers/keep-search-index.ts'
import type { OpenedThings } from './opened.ts'
import type { Registers } from './registers.ts'
import type { Tiers } from './tiers.ts'

/** What answers searches: over the index, on connections of its own, or the register. */
export async function openSearch({
  environment,
  storage,
  tiers: { cached, tombstones },
  industryCodes,
  clock,
  log,
  opened,
}: {
  environment: Environment
  storage: Storage
  tiers: Pick<Tiers, 'cached' | 'tombstones'>
  industryCodes: () => IndustryCodes
  clock: Clock
  log: Log
  opened: OpenedThings
}): Promise<SearchFront> {
  const { limitMs, connectionsMax, connectionsForOneMax, lookEveryMs } = policy.search
  const db = opened.keep(
    'search connections',
    createDatabase({
      url: storage.url,
      poolMax: connectionsMax,
      forOneMax: connectionsForOneMax,
      applicationName: 'bedriftsoppslag search',
      connectTimeoutMs: limitMs,
      statementTimeoutMs: limitMs,
    }),
  )
  const watch = opened.keep(
    'search index',
    createIndexWatch({
      read: async () => (environment.sokeindeks === 'av' ? null : readLiveIndex(storage.database)),
      everyMs: lookEveryMs,
      log,
    }),
  )
  await watch.start()
  const search = createSearch({
    db,
    index: watch.current,
    turns: createSearchTurns(policy.search),
    cached,
    isErased: tombstones.isErased,
    clock,
    log,
    deadlineMs: environment.answerDeadlineMs,
    policy: policy.search,
  })
  return {
    ...search,
    mayShow: (orgnrs) => !orgnrs.some((orgnr) => tombstones.isErased(nineDigits(orgnr))),
    toSn2025: (prefix) => industryCodes()?.toSn2025(prefix) ?? [],
  }
}

/** The work that builds the index and keeps it fresh; null where there is to be none. */
export function searchIndexWork({
  environment,
  storage,
  registers,
  remove,
  clock,
  log,
}: {
  environment: Environment
  storage: Storage
  registers: Pick<Registers, 'bulk' | 'feeds' | 'sources' | 'guards'>
  /** Companies the register says are removed: none may be found from now on. */
  remove: (
    removals: readonly { organisasjonsnummer: string; slettedato: string | null; at: Date }[],
  ) => Promise<void>
  clock: Clock
  log: Log
}): SearchIndexWork | null {
  if (environment.sokeindeks === 'av') return null
  const { database } = storage
  return {
    isBuildDue: async (signal) =>
      isBuildDue(await readIndexState(database), { bulk: registers.bulk, signal }),
    isBuildLeft: () => isBuildLeft(database, policy.searchIndex),
    build: (signal) => buildNow({ storage, registers, remove, clock, log, signal }, { isForced: false }),
    noteChanges: (changes) => noteChanges(database, changes, clock.now()),
    applyChanges: (signal) =>
      applyPending({
        database,
        remove,
        clock,
        log,
        signal,
        ask: {
          enhet: (orgnr, call) =>
            registers.guards.enhet.run('background', (inner) => registers.sources.enhet(orgnr, inner), {
              ...call,
              about: orgnr,
            }),
          underenhet: (orgnr, call) =>
            registers.guards.underenhet.run(
              'background',
              (inner) => registers.sources.underenhet(orgnr, inner),
              { ...call, about: orgnr },
            ),
        },
        policy: policy.searchIndex,
      }),
  }
}

/** Builds the index, or tells why it need not be built. What fails is remembered for whoever looks. */
export async function buildNow(
  {
    storage,
    registers,
    remove,
    clock,
    log,
    signal,
    onProgress = () => {},
  }: {
    storage: Storage
    registers: Pick<Registers, 'bulk' | 'feeds'>
    remove: Parameters<typeof searchIndexWork>[0]['remove']
    clock: Clock
    log: Pick<Log, 'info' | 'warn'>
    signal: AbortSignal
    onProgress?: (build: Build) => void
  },
  { isForced }: { isForced: boolean },
) {
  const { buildDeadlineMs } = policy.searchIndex
  const until = AbortSignal.any([signal, AbortSignal.timeout(buildDeadlineMs)])
  try {
    return await buildIndex(
      {
        url: storage.url,
        bulk: registers.bulk,
        now: clock.now,
        catchUp: (since, inner) =>
          catchUpFrom(since, {
            database: storage.database,
            feeds: registers.feeds,
            remove,
            signal: inner,
            policy: policy.feeds,
          }),
        log,
        signal: until,
        onProgress,
        policy: policy.searchIndex,
      },
      { isForced },
    )
  } catch (error) {
    if (!signal.aborted) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'intern_feil'
      await noteBuildFailure(storage.database, code).catch(() => {})
    }
    throw error
  }
}
