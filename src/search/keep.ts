import type { Clock } from '#src/core/clock.ts'
import type { Log } from '#src/core/log.ts'
import { nineDigits, type Organisasjonsnummer } from '#src/core/organisation-number.ts'
import type { Unit } from '#src/record/sections/foretak.ts'
import type { FeedSource } from '#src/sources/enhetsregisteret/feeds.ts'
import { type Answer, type SourceCall, SourceError } from '#src/sources/source.ts'
import type { Database } from '#src/storage/database.ts'
import { readIndexState } from '#src/storage/search/build-state.ts'
import {
  applyChanges,
  countSubUnits,
  noteEarlierChanges,
  type PendingChange,
  pendingChanges,
} from '#src/storage/search/changes.ts'
import { indexRowsOf } from './index-rows.ts'

type Remove = (
  removals: readonly { organisasjonsnummer: string; slettedato: string | null; at: Date }[],
) => Promise<void>

/**
 * Reads units that changed and puts them in the index as they are now; all that waits, some at a time. Safe to run twice, also
 * at once: what is read twice is written twice the same. Nothing is done while there is no index.
 *
 * @returns how many were read
 */
export async function applyPending(work: {
  database: Database
  ask: Record<'enhet' | 'underenhet', (orgnr: Organisasjonsnummer, call: SourceCall) => Promise<Answer<Unit>>>
  remove: Remove
  clock: Clock
  log: Pick<Log, 'warn'>
  signal: AbortSignal
  policy: { changesAtOnce: number; changesDeadlineMs: number }
}): Promise<number> {
  const { database, signal, policy } = work
  if ((await readIndexState(database)).live === null) return 0
  let count = 0
  while (!signal.aborted) {
    const pending = await pendingChanges(database, policy.changesAtOnce)
    if (pending.length === 0) return count
    const done = await applySome(pending, work)
    count += done
    // What could not be read now stands first in the line the next time too: it is waited for.
    if (done < pending.length) {
      work.log.warn(
        { waiting: pending.length - done },
        'changed units could not be read for the search index',
      )
      return count
    }
  }
  return count
}

async function applySome(
  pending: readonly PendingChange[],
  { database, ask, remove, clock, signal, policy }: Parameters<typeof applyPending>[0],
): Promise<number> {
  const call = { signal: AbortSignal.any([signal, AbortSignal.timeout(policy.changesDeadlineMs)]) }
  const answers = await Promise.all(
    pending.map(async (change) => {
      const orgnr = nineDigits(change.orgnr) as Organisasjonsnummer
      try {
        return { change, answer: await ask[change.isSubUnit ? 'underenhet' : 'enhet'](orgnr, call) }
      } catch (error) {
        if (error instanceof SourceError || signal.aborted) return null
        throw error
      }
    }),
  )
  const heard = answers.filter((each) => each !== null)
  const removed = heard.flatMap(({ change, answer }) =>
    answer.outcome === 'removed'
      ? [{ organisasjonsnummer: nineDigits(change.orgnr), slettedato: answer.slettedato, at: clock.now() }]
      : [],
  )
  if (removed.length > 0) await remove(removed)
  const units = heard.flatMap(({ answer }) => (answer.outcome === 'found' ? [answer.value] : []))
  const subUnits = await countSubUnits(
    database,
    units.map(({ organisasjonsnummer }) => Number(organisasjonsnummer)),
  )
  await applyChanges(
    database,
    heard.map(({ change }) => change),
    units.map((unit) => indexRowsOf(unit, subUnits.get(Number(unit.organisasjonsnummer)) ?? 0)),
  )
  return heard.length
}

/**
 * Finds out from the feeds which units changed since, for whoever has not followed them so long: they are marked to be read,
 * unless they were read since. Removals are told as the followers would.
 */
export async function catchUpFrom(
  since: Date,
  {
    database,
    feeds,
    remove,
    signal,
    policy,
  }: {
    database: Database
    feeds: Pick<FeedSource, 'fetchUnitChanges'>
    remove: Remove
    signal: AbortSignal
    policy: { pageSize: number; deadlineMs: number }
  },
): Promise<void> {
  for (const feed of ['enheter', 'underenheter'] as const) {
    let from: { fromTime: Date } | { fromId: number } = { fromTime: since }
    for (let page = 0; page < PAGES_MAX; page += 1) {
      const call = { signal: AbortSignal.any([signal, AbortSignal.timeout(policy.deadlineMs)]) }
      const { events, newest, isLast } = await feeds.fetchUnitChanges(feed, from, policy.pageSize, call)
      const removals = events.filter(({ kind }) => kind === 'Fjernet')
      if (removals.length > 0)
        await remove(
          removals.map(({ organisasjonsnummer, at }) => ({ organisasjonsnummer, slettedato: null, at })),
        )
      const changes = events.filter(({ kind }) => kind !== 'Fjernet')
      await noteEarlierChanges(
        database,
        changes.map(({ organisasjonsnummer, at }) => ({
          orgnr: Number(organisasjonsnummer),
          isSubUnit: feed === 'underenheter',
          at,
        })),
      )
      if (isLast || newest === null) break
      from = { fromId: newest.id + 1 }
    }
  }
}

/** Of a thousand events: three days have some fifty thousand. */
const PAGES_MAX = 200
