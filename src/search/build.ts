import { OppslagError } from '#src/core/errors.ts'
import type { Log } from '#src/core/log.ts'
import type { Unit } from '#src/record/sections/foretak.ts'
import type { BulkFile, BulkSource } from '#src/sources/enhetsregisteret/bulk.ts'
import { type IndexBuild, openIndexBuild } from '#src/storage/search/build.ts'
import type { Build, SearchIndexState } from '#src/storage/search/build-state.ts'
import { indexRowsOf } from './index-rows.ts'

export type BuildOutcome = 'bygget' | 'uendret' | 'opptatt'

export type BuildWork = {
  url: string
  bulk: BulkSource
  /** Before the files were asked for: changes since then are taken over from the index that is kept up to date. */
  now: () => Date
  /** Finds out what changed since, when the feeds have not been followed for so long. Told when the files were asked for. */
  catchUp: (since: Date, signal: AbortSignal) => Promise<void>
  log: Pick<Log, 'info' | 'warn'>
  signal: AbortSignal
  onProgress?: (build: Build) => void
  policy: BuildPolicy
}

type BuildPolicy = {
  /** Units written in one transaction, and read again by whoever goes on after a kill. */
  batchUnits: number
  /** The files were made some hours before they are asked for; changes that old are looked at again. */
  filesOlderMs: number
  /** Of a file, unreadable units above this share are a fault of the file, not of the units. */
  unreadableShareMax: number
}

/**
 * Builds the index from the register's bulk files, beside the one that is read, and puts it in its place. Sub-units first, so
 * that a unit's weight knows how many it has. Goes on where a killed build ended as long as the files are the same.
 * Safe to run twice, also at once: one builds, the others are told.
 *
 * @param isForced also when the files are those the index was built from
 * @throws SourceError when a file can not be had; what was read of it is kept for the next. StorageUnavailableError
 */
export async function buildIndex(
  work: BuildWork,
  { isForced }: { isForced: boolean },
): Promise<BuildOutcome> {
  const build = await openIndexBuild(work.url)
  if (build === null) return 'opptatt'
  try {
    const state = await build.state()
    if (!isForced && !(await isBuildDue(state, work))) return 'uendret'
    return await proceed(build, state.build ?? (await build.begin(work.now())), work)
  } catch (error) {
    throw build.failureOf(error)
  } finally {
    await build.close()
  }
}

/**
 * Whether there is no index, one was begun, or the register has other files than those it was built from.
 *
 * @throws SourceError when the register can not be asked
 */
export async function isBuildDue(
  { live, build }: Pick<SearchIndexState, 'live' | 'build'>,
  { bulk, signal }: Pick<BuildWork, 'bulk' | 'signal'>,
): Promise<boolean> {
  if (live === null || build !== null) return true
  const [enheter, underenheter] = await Promise.all([
    bulk.etagOf('enheter', { signal }),
    bulk.etagOf('underenheter', { signal }),
  ])
  return enheter === null || enheter !== live.etags.enheter || underenheter !== live.etags.underenheter
}

async function proceed(build: IndexBuild, begun: Build, work: BuildWork): Promise<BuildOutcome> {
  let state = begun
  const told = async () => {
    state = (await build.state()).build ?? state
    work.onProgress?.(state)
  }
  work.log.info({ utgave: state.edition, fase: state.phase, lest: state.read }, 'building the search index')
  for (const phase of ['underenheter', 'enheter'] as const) {
    if (state.phase !== phase) continue
    if (!(await readFile(build, phase, state, work, told))) {
      // Another file than the one that was begun: nothing of the two is mixed.
      work.log.info({ fil: phase }, 'the register has made a new file meanwhile: the build begins anew')
      return proceed(build, await build.begin(work.now()), work)
    }
    await build.enter(phase === 'underenheter' ? 'enheter' : 'ordner')
    await told()
  }
  if (state.phase === 'ordner') {
    await build.index(state.edition)
    await told()
  }
  const since = new Date(state.filesAt.getTime() - work.policy.filesOlderMs)
  await work.catchUp(since, work.signal)
  await build.swap(since)
  work.log.info({ utgave: state.edition }, 'the search index is built')
  return 'bygget'
}

/** @returns false when the file is not the one that was begun */
async function readFile(
  build: IndexBuild,
  file: BulkFile,
  { read: before, unreadable: unreadableBefore, etags }: Build,
  { bulk, signal, policy }: BuildWork,
  told: () => Promise<void>,
): Promise<boolean> {
  const { etag, batches } = await bulk.units(file, { signal })
  if (before > 0 && (etag === null || etag !== etags[file])) return false
  await build.noteFile(file, etag)
  let read = 0
  let unreadable = unreadableBefore
  let waiting: Unit[] = []
  let writing = Promise.resolve()
  /** One batch is written while the next is read. */
  const write = async () => {
    await writing
    signal.throwIfAborted()
    writing = writeSome(build, file, waiting, { read, unreadable }).then(told)
    // Heard by whoever writes the next.
    writing.catch(() => {})
    waiting = []
  }
  try {
    for await (const batch of batches) {
      for (const unit of batch) {
        read += 1
        if (read <= before) continue
        if (unit === null) unreadable += 1
        else waiting.push(unit)
      }
      if (waiting.length >= policy.batchUnits) await write()
    }
    if (unreadable > policy.unreadableShareMax * Math.max(100, read))
      throw new BulkFileError(file, { read, unreadable })
    await write()
    await writing
    return true
  } finally {
    // A file that breaks off: what was being written is there for whoever goes on.
    await writing.catch(() => {})
  }
}

async function writeSome(
  build: IndexBuild,
  file: BulkFile,
  units: readonly Unit[],
  counts: { read: number; unreadable: number },
): Promise<void> {
  const subUnits =
    file === 'underenheter'
      ? null
      : await build.countSubUnits(units.map(({ organisasjonsnummer }) => Number(organisasjonsnummer)))
  await build.load(
    units.map((unit) => indexRowsOf(unit, subUnits?.get(Number(unit.organisasjonsnummer)) ?? 0)),
    counts,
  )
}

/** More of a file can not be read than is an accident: no index is made of it. */
class BulkFileError extends OppslagError {
  constructor(file: BulkFile, { read, unreadable }: { read: number; unreadable: number }) {
    super(
      'totalbestand_uleselig',
      `${unreadable} of ${read} units in ${file} can not be read; no index is made of it`,
    )
  }
}
