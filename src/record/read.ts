import { createHash } from 'node:crypto'
import type { Policy } from '#config/policy.ts'
import type { Cache, CacheRequest, CacheResult } from '#src/cache/cache.ts'
import type { Entry } from '#src/cache/entry.ts'
import {
  AnswerDoubtedError,
  CompanyErasedError,
  FillDeadlineError,
  FillsExceededError,
} from '#src/cache/errors.ts'
import type { Clock } from '#src/core/clock.ts'
import { isOrganisasjonsnummer, type Organisasjonsnummer } from '#src/core/organisation-number.ts'
import { traced } from '#src/core/trace.ts'
import type { Turn } from '#src/core/turns.ts'
import type { Addresses } from '#src/sources/addresses.ts'
import type { RegisterSearch, SearchHits } from '#src/sources/enhetsregisteret/search.ts'
import type { Guard, Lane } from '#src/sources/guard.ts'
import {
  type CompanySource,
  companySources,
  forEach,
  isArchive,
  type KeptSource,
  keptOf,
  type RegisterSource,
  sourceOf,
} from '#src/sources/index.ts'
import type { LifetimesNow } from '#src/sources/lifetime.ts'
import { type Answer, NOBODYS_TURN, type SourceCall, SourceError } from '#src/sources/source.ts'
import type { RecordQuestion } from './fields.ts'
import { lookWhenLate } from './late-look.ts'
import { lifetimeOf } from './lifetimes.ts'
import { merge, type OnFault } from './merge.ts'
import { createNotFoundStorm } from './not-found-storm.ts'
import { ofOneEdition } from './one-edition.ts'
import type {
  About,
  ArchiveValues,
  Failed,
  FoundAnswer,
  NotImported,
  RecordAnswers,
  RecordSources,
  RegisterSources,
  ServedAnswer,
  ServedOrFailed,
} from './parts.ts'
import { companiesIn, type PersonIds } from './person-ids.ts'
import { type RecordReading, unavailableReading } from './reading.ts'
import type { Unit } from './sections/foretak.ts'
import type { IndustryCodes } from './sections/naering.ts'
import type { KnownAccounts } from './sections/regnskap/known-accounts.ts'
import { askedBeside, type SectionName, sectionAsking } from './sections.ts'
import type { ShareRegister } from './share-register.ts'
import { fromStored, type StoredState, storing, toStored } from './stored-answer.ts'
import { startWait, type Wait } from './wait.ts'

/*
 * The reading of a record, from top to bottom.
 *
 *   ask      every section's sources at the same time, under one deadline           readRecord
 *   held     from memory or Redis: a hit, or stale with a refresh behind it         through → cache.getOrFetch
 *   fill     a miss is fetched once over all readers and processes, who coalesce                      "
 *   guard    in a turn, and unless the source is left alone                         guards[source].calling
 *   fetch    from the register                                                      sources[source]
 *   settle   what came is kept, what was removed is remembered                      settled
 *   merge    each section is made of its answers, pure                              merge
 */

/**
 * Reads one company: every source is asked at the same time under one deadline, and the record is merged from what came.
 * The main register decides first: without it there is no record, so the other calls are then given up.
 * Whatever a source throws, at once or later, costs its own section (P2, P42).
 *
 * @param deadlineMs for the whole answer; a source that is later is `utilgjengelig` in this answer
 * @param onFault told what a source threw that is no failure of its register
 * @param questions those that are asked besides the unit; all, when left out. What was not asked for is not to be shown
 * @param alone the section that is asked for at its own address, and may say more there
 */
export async function readRecord(
  orgnr: Organisasjonsnummer,
  reader: {
    sources: RecordSources
    industryCodes: () => IndustryCodes
    addresses: Addresses
    personIds: () => PersonIds
    deadlineMs: number
    onFault: OnFault
    questions?: ReadonlySet<RecordQuestion>
    alone?: SectionName | null
  },
): Promise<RecordReading> {
  const { sources, onFault, questions } = reader
  const wait = startWait(reader.deadlineMs, onFault)
  const { call, settle } = wait
  const isAsked = (question: RecordQuestion) => questions?.has(question) ?? true
  // Each under its own name, so of its own value.
  const question = (name: keyof RecordAnswers) =>
    sources[name] as (of: Organisasjonsnummer, by: SourceCall) => Promise<unknown>
  const ask = async (name: keyof RecordAnswers): Promise<[keyof RecordAnswers, unknown]> => [
    name,
    isAsked(name) ? await settle(sectionAsking[name], Promise.try(question(name), orgnr, call)) : NOT_ASKED,
  ]
  try {
    const base = readUnit(orgnr, sources, wait)
    const others = Promise.all(askedAtOnce.map(ask))
    const unit = await base
    if (unit.outcome !== 'found') {
      wait.giveUp()
      await others
      return withoutRecord(unit)
    }
    const { value, fetchedAt } = unit
    const later = Promise.all(
      askedLater.map(async ({ name, askedWhen }) =>
        askedWhen(value) ? ask(name) : ([name, { outcome: 'absent', fetchedAt }] as const),
      ),
    )
    const parent = isAsked('overordnetEnhet') ? await readParent(unit, sources, wait) : null
    const answers = Object.fromEntries([...(await others), ...(await later)]) as RecordAnswers
    const [aksjonaerer, eierskap] = await ofOneEdition([answers.aksjonaerer, answers.eierskap], {
      aksjonaerer: () => settle('aksjonaerer', Promise.try(sources.aksjonaerer, orgnr, call, true)),
      eierskap: () => settle('eierskap', Promise.try(sources.eierskap, orgnr, call, true)),
    })
    const about: About = {
      unit,
      parent,
      unitFrom: unit.from,
      industryCodes: reader.industryCodes(),
      addresses: reader.addresses,
      personIds: reader.personIds(),
      alone: reader.alone ?? null,
    }
    return { outcome: 'record', record: merge({ ...about, ...answers, aksjonaerer, eierskap }, onFault) }
  } catch (error) {
    wait.giveUp()
    throw error
  } finally {
    wait.end()
  }
}

/** Sources that are asked only where the unit's own answer leaves anything to ask for, and the others. */
const askedLater = askedBeside.flatMap((name) => {
  const askedWhen = isArchive(name) ? null : sourceOf(name).askedWhen
  return askedWhen === null ? [] : [{ name, askedWhen }]
})
const askedAtOnce = askedBeside.filter((name) => !askedLater.some((later) => later.name === name))

/** Of a whole record, before anything of it is known. */
export const askedAtOnceOfRegisters: readonly KeptSource[] = [
  'enhet',
  ...askedAtOnce.filter((name) => !isArchive(name)),
]

/** Nobody sees it: whoever leaves a question out leaves out what is made of it. */
const NOT_ASKED: Failed = { outcome: 'failed', failure: 'avslatt' }

type UnitReading = ServedOrFailed<Unit> & { from: 'enhet' | 'underenhet' }

/** A number is a main unit's or a sub-unit's, and only asking tells; most are main units. */
async function readUnit(
  orgnr: Organisasjonsnummer,
  sources: RecordSources,
  { call, settle }: Wait,
): Promise<UnitReading> {
  const main = await settle('enhet', Promise.try(sources.enhet, orgnr, call))
  if (main.outcome !== 'absent') return { ...main, from: 'enhet' }
  return { ...(await settle('enhet', Promise.try(sources.underenhet, orgnr, call))), from: 'underenhet' }
}

async function readParent(
  { value }: FoundAnswer<Unit>,
  sources: RecordSources,
  { call, settle }: Wait,
): Promise<About['parent']> {
  const organisasjonsnummer = value.overordnetEnhet
  if (organisasjonsnummer === undefined) return null
  if (organisasjonsnummer === null || !isOrganisasjonsnummer(organisasjonsnummer)) {
    const answer = { outcome: 'failed', failure: 'ugyldig_svar', field: '/overordnetEnhet' } as const
    return { organisasjonsnummer, answer }
  }
  const answer = await settle('overordnetEnhet', Promise.try(sources.enhet, organisasjonsnummer, call))
  return { organisasjonsnummer, answer }
}

function withoutRecord(unit: Exclude<UnitReading, { outcome: 'found' }>): RecordReading {
  if (unit.outcome === 'absent') return { outcome: 'unknown' }
  if (unit.outcome === 'removed') return { outcome: 'removed', slettedato: unit.slettedato }
  return unavailableReading(unit.outcome === 'failed' ? unit : { failure: 'feilstatus' })
}

/** What a search asks of the registers. */
export type SearchSources = Pick<RegisterSources, 'enhet' | 'underenhet'> & {
  sok(question: RegisterSearch, call: SourceCall): Promise<Answer<SearchHits>>
}

export type Sources = RegisterSources & Pick<SearchSources, 'sok'>

/** One part of an answer, and how the cache came by it. */
export type ServedPart = { company: string; source: KeptSource; served: CacheResult }

/** The sources as one reader sees them, and what the reader has been given so far. */
type ReadersSources = {
  sources: RecordSources & Pick<SearchSources, 'sok'>
  parts: ServedPart[]
  /** False when years of the archive came since the reading began: what was said of it then is not to be kept. */
  isCurrent(): boolean
}

type Reader = { lane: Lane; mode: 'normal' | 'refresh'; turn: Turn }

export type Archive = Pick<
  ShareRegister,
  'isEmpty' | 'edition' | 'aksjonaerer' | 'eierskap' | 'showShares' | 'showOwnership'
>

/**
 * Told that an answer of a company is being fetched, with the copy at hand that readers could still be given, and then of what
 * came before it is kept. It does not fail, and ends its wait by itself. null: nobody wants to know.
 */
type OnFetch = (
  orgnr: string,
  source: KeptSource,
  held: { answer: () => Answer<unknown> } | null,
) => ((answer: () => Answer<unknown>) => Promise<void>) | null

/** `own`: what this very reading fetched, before it was written down; null when what was served came otherwise. */
type Served = { served: CacheResult; own: Answer<unknown> | null }

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
  lifetimes,
  policy,
  isErased,
  onRemoved,
  rememberedAccounts = async () => null,
  onFetch = () => null,
}: {
  cache: Pick<Cache, 'getOrFetch'>
  sources: Sources
  archive: Archive
  guards: Readonly<Record<KeptSource, Pick<Guard, 'calling' | 'heedRest' | 'noteLate'>>>
  clock: Clock
  /** Those that hold at this moment. */
  lifetimes: () => LifetimesNow
  policy: Pick<Policy, 'notFoundStorm' | 'accountsArchive'> & { fillDeadlineMs: number }
  /** What is removed is not kept, though another company's answer may still name it for a while. */
  isErased: (orgnr: string) => boolean
  /** A unit was answered with 410: its tombstone is to be set before anything else happens. */
  onRemoved: (orgnr: string, slettedato: string | null) => void
  /** What else there is of a company's accounts when neither the register nor a copy can be had. Does not throw. */
  rememberedAccounts?: (orgnr: string) => Promise<Answer<KnownAccounts> | null>
  onFetch?: OnFetch
}) {
  const storms = new Map<RegisterSource, ReturnType<typeof createNotFoundStorm>>()

  function isStorm(company: string, source: RegisterSource): boolean {
    const storm = storms.get(source) ?? createNotFoundStorm({ clock, ...policy.notFoundStorm })
    storms.set(source, storm)
    return storm.isOneOfMany(company)
  }

  /** Held, else filled: guard, fetch, settle. */
  async function serve<Subject, T>(
    { company, source }: { company: string; source: KeptSource },
    subject: Subject,
    ask: (subject: Subject, call: SourceCall) => Promise<Answer<T>>,
    { lane, mode, turn, signal }: Reader & { signal: AbortSignal },
  ): Promise<Served> {
    let fetched: Answer<unknown> | null = null
    const request: CacheRequest = {
      mode,
      signal,
      deadlineMs: policy.fillDeadlineMs,
      heedRest: () => guards[source].heedRest(lane, company),
      awaitedInVain: () => guards[source].noteLate(company),
      lifetimeOf: (state) => lifetimeOf(source, state as StoredState, clock.now(), lifetimes()),
      mayReplace: (old: Entry, fetched) =>
        isArchive(source) ||
        !(old.state === 'found' && fetched.state === 'absent' && isStorm(company, source)),
      watch(old) {
        const told = onFetch(company, source, old && { answer: () => fromStored(old) })
        return told && ((fetched) => told(() => fromStored(fetched)))
      },
      fetch: storing(
        guards[source].calling(lane, ask, subject, { turn: turnAt(source, turn), about: company }),
        (answer) => {
          const believed = settled(company, source, answer)
          fetched = believed
          return believed
        },
      ),
    }
    const served = await traced(
      'inside',
      `cache ${source}`,
      {},
      () => cache.getOrFetch({ company, section: source }, request),
      { told: ({ how }) => ({ how }) },
    )
    return { served, own: served.how === 'miss' ? fetched : null }
  }

  function settled<T>(company: string, source: KeptSource, answer: Answer<T>): Answer<T> {
    if (answer.outcome === 'removed' && keptOf(source).removes === 'company')
      onRemoved(company, answer.slettedato)
    return withoutErased(source, answer)
  }

  function withoutErased<A extends Answer<unknown>>(source: KeptSource, answer: A): A {
    const { withoutErased } = keptOf(source)
    if (answer.outcome !== 'found' || withoutErased === null) return answer
    return { ...answer, value: withoutErased(answer.value, isErased) }
  }

  function namesErased(answer: Answer<unknown>): boolean {
    if (answer.outcome !== 'found') return false
    return companiesIn(answer.value).some(
      ({ organisasjonsnummer }) => organisasjonsnummer !== null && isErased(organisasjonsnummer),
    )
  }

  /** What was just fetched has no need to be read back. Nobody else has been given that very answer. */
  function heard<T>(source: KeptSource, { served, own }: Served): ServedAnswer<T> {
    const answer = withoutErased(source, (own as Answer<T> | null) ?? fromStored<T>(served.entry))
    if (served.how === 'stale') return { ...answer, stale: { failure: null } }
    if (served.how !== 'stale-if-error') return answer
    const { failure } = asSourceError(source, served.error)
    return { ...answer, stale: { failure } }
  }

  return {
    /**
     * @param mode `refresh`: what is held will not do, the sources are to be asked
     * @param turn whose turns its calls take
     */
    forReader(reader: Reader): ReadersSources {
      const parts: ServedPart[] = []

      async function through<Subject, T>(
        key: { company: string; source: KeptSource },
        subject: Subject,
        ask: (subject: Subject, call: SourceCall) => Promise<Answer<T>>,
        { signal }: SourceCall,
        {
          remember,
          mode = reader.mode,
        }: { remember?: () => Promise<Answer<T> | null>; mode?: 'normal' | 'refresh' } = {},
      ): Promise<ServedAnswer<T>> {
        const remembered = remember && lookWhenLate(remember, policy.accountsArchive.lookAfterMs)
        try {
          const answered = await serve(key, subject, ask, { ...reader, mode, signal })
          parts.push({ ...key, served: answered.served })
          return heard(key.source, answered)
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

      const about = (source: CompanySource) => (orgnr: Organisasjonsnummer, call: SourceCall) =>
        through<Organisasjonsnummer, unknown>({ company: orgnr, source }, orgnr, sources[source], call)

      /** While nothing is imported this is all it costs. */
      const archived =
        <Kept, Shown>(
          source: keyof ArchiveValues,
          ask: (orgnr: Organisasjonsnummer) => Promise<Answer<Kept>>,
          show: (kept: Kept) => Shown,
        ) =>
        async (
          orgnr: Organisasjonsnummer,
          call: SourceCall,
          anew = false,
        ): Promise<ServedAnswer<Shown> | NotImported> => {
          if (archive.isEmpty()) return { outcome: 'not_imported' }
          const askAnew = () => through({ company: orgnr, source }, orgnr, ask, call, { mode: 'refresh' })
          const kept = await (anew ? askAnew() : through({ company: orgnr, source }, orgnr, ask, call))
          // Until the erasure has been everywhere; the archive itself names none of them.
          const heard = namesErased(kept) ? await askAnew() : kept
          if (namesErased(heard))
            throw new SourceError(source, 'feilstatus', 'what is held names a company that was removed')
          return heard.outcome === 'found' ? { ...heard, value: show(heard.value) } : heard
        }

      const edition = archive.edition()
      return {
        parts,
        isCurrent: () => archive.edition() === edition,
        sources: {
          // Each under its own name, so of its own value.
          ...(forEach(companySources, about) as RegisterSources),
          regnskap: (orgnr, call) =>
            through({ company: orgnr, source: 'regnskap' }, orgnr, sources.regnskap, call, {
              remember: () => rememberedAccounts(orgnr),
            }),
          aksjonaerer: archived('aksjonaerer', archive.aksjonaerer, archive.showShares),
          eierskap: archived('eierskap', archive.eierskap, archive.showOwnership),
          sok: (question, call) =>
            through({ company: searchKey(question), source: 'sok' }, question, sources.sok, call),
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
        call: SourceCall,
      ) => Promise<Answer<unknown>>
      const reader = { lane: 'background', mode: 'refresh', turn: NOBODYS_TURN, signal } as const
      try {
        const { served } = await serve({ company: orgnr, source }, orgnr, ask, reader)
        if (served.how === 'stale-if-error') throw served.error
      } catch (error) {
        if (error instanceof CompanyErasedError) return
        const failure = asSourceError(source, error)
        if (failure.failure !== 'avslatt') throw failure
      }
    },
  }
}

/** Without the unit there is no record, whatever else has come: it is not behind what is asked besides of the same reader's others. */
function turnAt(source: KeptSource, turn: Turn): Turn {
  return keptOf(source).removes === 'company' ? { ...turn, leads: true } : turn
}

/** What people search for is not kept readable: a search is known by its hash. */
function searchKey(question: object): string {
  return `sok-${createHash('sha256').update(JSON.stringify(question)).digest('base64url')}`
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
