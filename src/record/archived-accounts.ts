import { channel } from 'node:diagnostics_channel'
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { askedForAll } from '#src/core/asker.ts'
import type { Log } from '#src/core/log.ts'
import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import { createTurns } from '#src/core/turns.ts'
import { afterSending, within } from '#src/core/wait.ts'
import { putTogether, takeApartFiling } from '#src/sources/regnskap/kept-filing.ts'
import type { RegisterRegnskap } from '#src/sources/regnskap/schema.ts'
import { type Answer, NOBODYS_TURN, type SourceCall } from '#src/sources/source.ts'
import { filingKey, type Keeping, type KeptFiling } from '#src/storage/accounts-archive.ts'
import { StorageUnavailableError } from '#src/storage/database.ts'
import type { ArchivedFiling, KnownAccounts } from './sections/regnskap/known-accounts.ts'
import type { Rated } from './stored-answer.ts'

/** What the archive tells those who count. It names no company. */
export type AccountsArchiveEvent =
  | { kind: 'kept'; filings: number }
  | { kind: 'failed'; what: 'read' | 'write' | 'erase' }

/** Listeners get an `AccountsArchiveEvent`, synchronously. */
export const ACCOUNTS_ARCHIVE_CHANNEL = 'bedriftsoppslag:accounts-archive'

/**
 * The accounts register with a memory. Every filing it gives is kept, and its answer is joined with what is kept already, so
 * that a year the register no longer gives is not lost. What is held in the cache is that union: the archive is asked when
 * the register is, and not by every reader.
 *
 * The archive never costs a reader the register's answer. When it can not be read in time, the answer says so and lives
 * shortly; when it can not be written, that is logged and counted, and the next fetch does it. It is asked for
 * all who read the company, since what comes of it is held for all of them, and is not to lack years where the first of them has too many
 * questions under way. Few writes are under way at once, so that reading waits for none, however long they take.
 *
 * @param fetchRegnskap the register alone
 */
export function createArchivedAccounts({
  fetchRegnskap,
  archive,
  log,
  policy,
}: {
  fetchRegnskap: (orgnr: Organisasjonsnummer, call: SourceCall) => Promise<Answer<RegisterRegnskap[]>>
  archive: {
    read: (orgnr: string) => Promise<KeptFiling[]>
    keep: (filings: readonly KeptFiling[]) => Promise<Keeping[]>
    erase: (orgnr: string) => Promise<void>
  }
  log: Pick<Log, 'warn'>
  policy: Record<
    | 'readWithinMs'
    | 'keepAfterMs'
    | 'keepsAtOnce'
    | 'keepsWaitingMax'
    | 'keepsWaitMs'
    | 'keepsLastMs'
    | 'logEveryMs',
    number
  >
}) {
  const keeps = createTurns({ atOnce: policy.keepsAtOnce, waitingMax: policy.keepsWaitingMax })
  /** With the company each is of. */
  const writes = new Map<Promise<void>, string>()
  /** The process ends: none is begun any more. */
  let isOver = false
  let failuresUntold = 0
  let toldAt = Number.NEGATIVE_INFINITY

  /** With PostgreSQL away every fetch fails here: one line for many. */
  function failed(what: 'read' | 'write' | 'erase', error: unknown): null {
    publish({ kind: 'failed', what })
    failuresUntold += 1
    if (performance.now() - toldAt >= policy.logEveryMs) {
      log.warn({ err: error, failures: failuresUntold }, `the accounts archive: could not ${what}`)
      toldAt = performance.now()
      failuresUntold = 0
    }
    return null
  }

  async function read(orgnr: string): Promise<KeptFiling[] | null> {
    return askedForAll(() => archive.read(orgnr)).catch((error) => failed('read', error))
  }

  /** Readers do not wait for it, nor for what is to be kept to be found out. Those they were fetched for have equal turns. */
  function keepBehind(orgnr: string, filings: () => readonly KeptFiling[], { of } = NOBODYS_TURN): void {
    const write = pause(policy.keepAfterMs)
      .then(() => keepInTurn(of, filings))
      .catch((error) => void failed('write', error))
      .finally(() => writes.delete(write))
    writes.set(write, orgnr)
  }

  async function keepInTurn(of: string, filings: () => readonly KeptFiling[]): Promise<void> {
    const done = await keeps.runWithin(policy.keepsWaitMs, { of, rank: 0 }, async () => {
      if (isOver) throw new StorageUnavailableError(null)
      await keep(filings())
    })
    if (!done.hadTurn) throw done.cause
  }

  async function keep(filings: readonly KeptFiling[]): Promise<void> {
    if (filings.length === 0) return
    const keepings = await askedForAll(() => archive.keep(filings))
    const count = keepings.filter((keeping) => keeping === 'ny' || keeping === 'endret').length
    publish({ kind: 'kept', filings: count })
  }

  /** What is on its way to be kept of this company is waited for, and nothing of others. What fails is done at the next fetch. */
  async function erase(orgnr: string): Promise<void> {
    await Promise.all([...writes].map(([write, of]) => (of === orgnr ? write : null)))
    await askedForAll(() => archive.erase(orgnr)).catch((error) => failed('erase', error))
  }

  return {
    /**
     * The register's answer joined with the archive. `absent` and `unsupported` become `found` where the archive has years,
     * and live no longer for it. `removed` is the order to forget: the archive's years go as well.
     *
     * @throws SourceError when the register could not be heard or believed
     */
    async fetchRegnskap(orgnr: Organisasjonsnummer, call: SourceCall): Promise<Rated<KnownAccounts>> {
      const reading = afterSending().then(() => within(read(orgnr), policy.readWithinMs, () => null))
      const answer = await fetchRegnskap(orgnr, call)
      const kept = await reading
      if (answer.outcome === 'removed') {
        await erase(orgnr)
        return answer
      }
      if (answer.outcome === 'found')
        keepBehind(
          orgnr,
          () => keptOf(orgnr, answer).filter((filing) => !isKept(filing, kept) && mayBeKept(filing, kept)),
          call.turn,
        )
      if (kept === null) return join(answer, null)
      const live = answer.outcome === 'found' && kept.length > 0 ? keptOf(orgnr, answer) : []
      return join(answer, notAmong(live, kept))
    },

    /** What is kept of a company, for when the register can not be asked; null when that is nothing, or not to be had. */
    async remembered(orgnr: string): Promise<Answer<KnownAccounts> | null> {
      const archived = notAmong([], (await read(orgnr)) ?? [])
      if (archived.length === 0) return null
      return {
        outcome: 'found',
        value: { live: [], archived, isArchiveRead: true, withoutLive: null },
        avvik: [],
        fetchedAt: newest(archived),
      }
    },

    /** Waits until what was to be kept is kept, or has failed; what has had no turn after a moment is kept at the next fetch. */
    async close(): Promise<void> {
      const moment = setTimeout(() => {
        isOver = true
      }, policy.keepsLastMs)
      await Promise.all(writes.keys())
      clearTimeout(moment)
    },
  }
}

const events = channel(ACCOUNTS_ARCHIVE_CHANNEL)

function publish(event: AccountsArchiveEvent): void {
  events.publish(event)
}

function join(
  answer: Exclude<Answer<RegisterRegnskap[]>, { outcome: 'removed' }>,
  archived: ArchivedFiling[] | null,
): Rated<KnownAccounts> {
  const isArchiveRead = archived !== null
  const { outcome, fetchedAt } = answer
  if (outcome === 'found') {
    const value = { live: answer.value, archived: archived ?? [], isArchiveRead, withoutLive: null }
    return { ...answer, value, ...(!isArchiveRead && { livesAs: 'partial' }) }
  }
  // Without the archive this is not all there is to say, so it is not said for long.
  if (archived === null) return { ...answer, ...(outcome === 'unsupported' && { livesAs: 'partial' }) }
  if (archived.length === 0) return { ...answer, fetchedAt }
  const withoutLive = outcome === 'absent' ? outcome : answer.certain ? outcome : 'unsupported_uncertain'
  const value: KnownAccounts = { live: [], archived, isArchiveRead, withoutLive }
  return { outcome: 'found', value, avvik: [], fetchedAt: newest(archived), livesAs: outcome }
}

/** As they are kept, each once: the register's list is not relied on to be without repetitions. */
function keptOf(
  orgnr: string,
  { value, fetchedAt }: Extract<Answer<RegisterRegnskap[]>, { outcome: 'found' }>,
): KeptFiling[] {
  const filings = new Map<string, KeptFiling>()
  for (const filing of value) {
    // Without its id it can not be told from another of the same period.
    if (filing.id === null) continue
    const kilde = 'regnskapsregisteret'
    const kept: KeptFiling = { orgnr, ...takeApartFiling(filing), kilde, hentet: fetchedAt, felt: null }
    filings.set(filingKey(kept), kept)
  }
  return [...filings.values()]
}

/** A filing with parts that can not be read is kept only where there is none of it: it never takes the place of a whole one. */
function mayBeKept(filing: KeptFiling, kept: readonly KeptFiling[] | null): boolean {
  const isWhole = ![filing.opplysninger, filing.tall].some(hasUnread)
  return isWhole || (kept !== null && !kept.some((each) => filingKey(each) === filingKey(filing)))
}

function hasUnread(part: unknown): boolean {
  if (typeof part !== 'object') return false
  return part === null || Object.values(part).some(hasUnread)
}

/** Not known to be: whoever writes compares again. */
function isKept(filing: KeptFiling, kept: readonly KeptFiling[] | null): boolean {
  const { hentet: _, ...content } = filing
  const same = kept?.find((each) => filingKey(each) === filingKey(filing))
  if (same === undefined) return false
  const { hentet: _before, ...contentBefore } = same
  return isDeepStrictEqual(content, contentBefore)
}

function notAmong(live: readonly KeptFiling[], kept: readonly KeptFiling[]): ArchivedFiling[] {
  const keys = new Set(live.map(filingKey))
  return kept
    .filter((filing) => !keys.has(filingKey(filing)))
    .map(({ orgnr, kilde, hentet, felt, ...parts }) => ({
      regnskap: putTogether(orgnr, parts),
      kilde,
      hentet: hentet.toISOString(),
      felt: felt === null ? null : [...felt],
    }))
}

function newest(archived: readonly ArchivedFiling[]): Date {
  return new Date(Math.max(...archived.map(({ hentet }) => Date.parse(hentet))))
}
