import { createHash } from 'node:crypto'
import type { Policy } from '#config/policy.ts'
import type { Cache, Served, Wish } from '#src/cache/cache.ts'
import type { Entry } from '#src/cache/entry.ts'
import {
  AnswerDoubtedError,
  CompanyErasedError,
  FillDeadlineError,
  FillsExceededError,
} from '#src/cache/errors.ts'
import type { Clock } from '#src/core/clock.ts'
import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import type { ArchiveSource, CompanySource, KeptSource, RegisterSource } from '#src/core/source-names.ts'
import { traced } from '#src/core/trace.ts'
import type { Turn } from '#src/core/turns.ts'
import type { SearchHits, SearchQuestion } from '#src/sources/enhetsregisteret/search.ts'
import type { Guard, Lane } from '#src/sources/guard.ts'
import { type Answer, type Call, NOBODYS_TURN, SourceError } from '#src/sources/source.ts'
import { lookWhenLate } from './late-look.ts'
import { isArchive, isUnit, lifetimeOf } from './lifetimes.ts'
import type { Heard, NotImported } from './merge.ts'
import { createNotFoundStorm } from './not-found-storm.ts'
import type { RecordSources, RegisterSources } from './read-record.ts'
import type { KnownAccounts } from './sections/regnskap/known-accounts.ts'
import type { ShareRegister } from './share-register.ts'
import { fromStored, type StoredState, toStored } from './stored-answer.ts'

/** What a search asks of the registers. */
export type SearchSources = Pick<RegisterSources, 'enhet' | 'underenhet'> & {
  sok(question: SearchQuestion, call: Call): Promise<Answer<SearchHits>>
}

export type Sources = RegisterSources & Pick<SearchSources, 'sok'>

/** One part of an answer, and how the cache came by it. */
export type Part = { company: string; source: KeptSource; served: Served }

/** The sources as one reader sees them, and what the reader has been given so far. */
type Reading = {
  sources: RecordSources & Pick<SearchSources, 'sok'>
  parts: Part[]
  /** False when years of the archive came since the reading began: what was said of it then is not to be kept. */
  isCurrent(): boolean
}

export type Archive = Pick<
  ShareRegister,
  'isEmpty' | 'edition' | 'aksjonaerer' | 'eierskap' | 'showShares' | 'showOwnership'
>

export type CachedSources = ReturnType<typeof createCachedSources>

/**
 * Puts the cache between a reader and the registers: each question is answered from what is held or asked of its source,
 * through the source's guard, once over all readers. The reader's deadline ends the reader's wait; the call goes on.
 */
export function createCachedSources({
  cache,
  sources,
  archive,
  guards,
  clock,
  policy,
  isErased,
  onRemoved,
  rememberedAccounts = async () => null,
}: {
  cache: Pick<Cache, 'getOrFetch'>
  sources: Sources
  archive: Archive
  guards: Readonly<Record<KeptSource, Pick<Guard, 'run'>>>
  clock: Clock
  policy: Pick<Policy, 'lifetimes' | 'notFoundStorm' | 'accountsArchive'> & { fillDeadlineMs: number }
  /** What is removed is not kept, though the register's own search may still name it for a while. */
  isErased: (orgnr: string) => boolean
  /** A unit was answered with 410: its tombstone is to be set before anything else happens. */
  onRemoved: (orgnr: string, slettedato: string | null) => void
  /** What else there is of a company's accounts when neither the register nor a copy can be had. Does not throw. */
  rememberedAccounts?: (orgnr: string) => Promise<Answer<KnownAccounts> | null>
}) {
  const storms = new Map<RegisterSource, ReturnType<typeof createNotFoundStorm>>()

  function isStorm(source: RegisterSource): boolean {
    const storm = storms.get(source) ?? createNotFoundStorm({ clock, ...policy.notFoundStorm })
    storms.set(source, storm)
    return storm.isOneOfMany()
  }

  async function serve<T>(
    key: { company: string; source: KeptSource },
    ask: (call: Call) => Promise<Answer<T>>,
    reader: { lane: Lane; mode: 'normal' | 'refresh'; turn: Turn; signal: AbortSignal },
  ): Promise<Served> {
    const { company, source } = key
    const wish: Wish = {
      mode: reader.mode,
      signal: reader.signal,
      deadlineMs: policy.fillDeadlineMs,
      lifetimeOf: (state) => lifetimeOf(source, state as StoredState, clock.now(), policy.lifetimes),
      mayReplace: (old: Entry, fetched) =>
        isArchive(source) || !(old.state === 'found' && fetched.state === 'absent' && isStorm(source)),
      fetch: async (signal) => {
        const answer = await traced(
          'asking',
          `source ${source}`,
          { lane: reader.lane },
          () => guards[source].run(reader.lane, ask, { signal, turn: reader.turn }),
          { told: ({ outcome }) => ({ outcome }) },
        )
        if (answer.outcome === 'removed' && isUnit(source)) onRemoved(company, answer.slettedato)
        return toStored(answer)
      },
    }
    return traced(
      'inside',
      `cache ${source}`,
      {},
      () => cache.getOrFetch({ company, section: source }, wish),
      { told: ({ how }) => ({ how }) },
    )
  }

  function withoutErased(answer: Answer<SearchHits>): Answer<SearchHits> {
    if (answer.outcome !== 'found') return answer
    const treff = answer.value.treff.filter(({ organisasjonsnummer }) => !isErased(organisasjonsnummer))
    const { totalt: all } = answer.value
    const totalt = all === null ? null : all - (answer.value.treff.length - treff.length)
    return { ...answer, value: { treff, totalt } }
  }

  return {
    /**
     * @param mode `refresh`: what is held will not do, the sources are to be asked
     * @param turn whose turns its calls take
     */
    forReader(reader: { lane: Lane; mode: 'normal' | 'refresh'; turn: Turn }): Reading {
      const parts: Part[] = []

      async function through<T>(
        key: { company: string; source: KeptSource },
        ask: (call: Call) => Promise<Answer<T>>,
        { signal }: Call,
        {
          remember,
          mode = reader.mode,
        }: { remember?: () => Promise<Answer<T> | null>; mode?: 'normal' | 'refresh' } = {},
      ): Promise<Heard<T>> {
        const remembered = remember && lookWhenLate(remember, policy.accountsArchive.lookAfterMs)
        try {
          const served = await serve(key, ask, { ...reader, mode, signal })
          parts.push({ ...key, served })
          return heard(served)
        } catch (error) {
          if (error instanceof CompanyErasedError) {
            return { outcome: 'removed', slettedato: null, fetchedAt: clock.now() }
          }
          const failure = asSourceError(key.source, error)
          const kept = await remembered?.found(signal)
          if (kept === undefined || kept === null) throw failure
          // Shown, and not put into the cache: the next reader asks the source again.
          parts.push({ ...key, served: { how: 'stale-if-error', entry: staleEntry(kept), error: failure } })
          return { ...kept, stale: { failure: failure.failure } }
        } finally {
          remembered?.end()
        }
      }

      const about =
        <T>(source: CompanySource, ask: (orgnr: Organisasjonsnummer, call: Call) => Promise<Answer<T>>) =>
        (orgnr: Organisasjonsnummer, call: Call) =>
          through({ company: orgnr, source }, (inner) => ask(orgnr, inner), call)

      /** While nothing is imported this is all it costs. */
      const archived =
        <Kept, Shown>(
          source: ArchiveSource,
          ask: (orgnr: Organisasjonsnummer) => Promise<Answer<Kept>>,
          show: (kept: Kept) => Shown,
        ) =>
        async (orgnr: Organisasjonsnummer, call: Call, anew = false): Promise<Heard<Shown> | NotImported> => {
          if (archive.isEmpty()) return { outcome: 'not_imported' }
          const heard = await through(
            { company: orgnr, source },
            () => ask(orgnr),
            call,
            anew ? { mode: 'refresh' } : {},
          )
          return heard.outcome === 'found' ? { ...heard, value: show(heard.value) } : heard
        }

      const edition = archive.edition()
      return {
        parts,
        isCurrent: () => archive.edition() === edition,
        sources: {
          enhet: about('enhet', sources.enhet),
          underenhet: about('underenhet', sources.underenhet),
          roller: about('roller', sources.roller),
          signatur: about('signatur', sources.signatur),
          prokura: about('prokura', sources.prokura),
          regnskap: (orgnr, call) =>
            through({ company: orgnr, source: 'regnskap' }, (inner) => sources.regnskap(orgnr, inner), call, {
              remember: () => rememberedAccounts(orgnr),
            }),
          kunngjoringer: about('kunngjoringer', sources.kunngjoringer),
          aksjonaerer: archived('aksjonaerer', archive.aksjonaerer, archive.showShares),
          eierskap: archived('eierskap', archive.eierskap, archive.showOwnership),
          sok: (question, call) =>
            through(
              { company: searchKey(question), source: 'sok' },
              async (inner) => withoutErased(await sources.sok(question, inner)),
              call,
            ),
        },
      }
    },

    /**
     * One section of a company from its source, whatever is held: what the background work does. A copy that covers for the
     * source is no refresh. Of a source that is switched off there is nothing to be had.
     *
     * @throws SourceError
     */
    async refresh(
      orgnr: Organisasjonsnummer,
      source: Exclude<KeptSource, 'sok'>,
      signal: AbortSignal,
    ): Promise<void> {
      const ask = (isArchive(source) ? archive[source] : sources[source]) as (
        orgnr: Organisasjonsnummer,
        call: Call,
      ) => Promise<Answer<unknown>>
      const reader = { lane: 'background', mode: 'refresh', turn: NOBODYS_TURN, signal } as const
      try {
        const served = await serve({ company: orgnr, source }, (call) => ask(orgnr, call), reader)
        if (served.how === 'stale-if-error') throw served.error
      } catch (error) {
        if (error instanceof CompanyErasedError) return
        const failure = asSourceError(source, error)
        if (failure.failure !== 'avslatt') throw failure
      }
    },
  }
}

/** What people search for is not kept readable: a search is known by its hash. */
function searchKey(question: object): string {
  return `sok-${createHash('sha256').update(JSON.stringify(question)).digest('base64url')}`
}

function heard<T>(served: Served): Heard<T> {
  const answer = fromStored<T>(served.entry)
  if (served.how === 'stale') return { ...answer, stale: { failure: null } }
  if (served.how !== 'stale-if-error') return answer
  const { failure } = asSourceError('enhet', served.error)
  return { ...answer, stale: { failure } }
}

/** As a copy that has been stale since it was fetched. */
function staleEntry(answer: Answer<unknown>): Entry {
  const at = answer.fetchedAt.getTime()
  const times = { fetchedAt: at, freshUntil: at, staleUntil: at, keepUntil: at }
  return { ...toStored(answer), ...times, isSaidStale: false }
}

/** The cache's own ways to fail, in the words the record has for them; a fault of ours passes through. */
export function asSourceError(source: KeptSource, error: unknown): SourceError {
  if (error instanceof SourceError) return error
  if (error instanceof FillsExceededError)
    return new SourceError(source, 'opptatt', 'too many answers are being fetched')
  if (error instanceof AnswerDoubtedError) {
    return new SourceError(
      source,
      'ugyldig_svar',
      'nothing was answered about too many companies that are known',
    )
  }
  const isLate =
    error instanceof FillDeadlineError || (error instanceof DOMException && error.name !== 'DataCloneError')
  if (isLate) return new SourceError(source, 'tidsfrist', 'no answer within the deadline', { cause: error })
  throw error
}
