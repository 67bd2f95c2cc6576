import type { Clock } from '#src/core/clock.ts'
import type { Log } from '#src/core/log.ts'
import { nineDigits } from '#src/core/organisation-number.ts'
import { RANK } from '#src/core/turns.ts'
import type { CachedSources, SearchSources } from '#src/record/read.ts'
import { isNotToBeHad, type Queryable, StorageUnavailableError } from '#src/storage/database.ts'
import { companiesOf, type Filters } from '#src/storage/search/candidates.ts'
import type { CompanyRow } from '#src/storage/search/rows.ts'
import { type Basis, basisOf, type Finn, type Forslag, type Sok, treffOf } from './answer.ts'
import { questionMark, type SearchCursor, writeSearchCursor } from './cursor.ts'
import { type AnyFound, findAny, noFilters } from './find-any.ts'
import { type Clues, findOne } from './find-one.ts'
import { findInRegister } from './in-register.ts'
import type { SearchTurns } from './in-turn.ts'
import { readQuestion, type TypedQuestion } from './question.ts'
import type { Hit } from './rank.ts'
import { suggest } from './suggest.ts'

/** The index that is read, as far as a process needs to know. */
export type SearchIndex = { builtAt: Date; filesAt: Date; changesUntil: Date | null }

export type SearchQuestion = { q: string; filters: Filters; size: number; after: SearchCursor | null }

/** `foreldet`: the page asked for was of an index that has been replaced since. */
export type SokReading =
  | { outcome: 'found'; answer: Sok; orgnrs: readonly number[] }
  | { outcome: 'replaced' | 'other' }

export type Search = ReturnType<typeof createSearch>

/**
 * Finds companies: in the index when there is one, and otherwise, or when PostgreSQL is away, at the register. Nothing of a
 * removed company is in any answer (P11).
 */
export function createSearch({
  db,
  index,
  turns,
  cached,
  isErased,
  clock,
  log,
  deadlineMs,
  policy,
}: {
  /** Connections of its own, whose statements end at the limit. */
  db: Queryable
  /** null while there is none. */
  index: () => SearchIndex | null
  turns: SearchTurns
  cached: { forReader(...reader: Parameters<CachedSources['forReader']>): { sources: SearchSources } }
  isErased: (orgnr: string) => boolean
  clock: Clock
  log: Pick<Log, 'warn'>
  deadlineMs: number
  policy: { limitMs: number; candidatesMax: number }
}) {
  const place = { db, limitMs: policy.limitMs }

  /** `companies`: those of the hits, where they came along. */
  type Companies = { companies: Map<number, CompanyRow> | null }
  type Whole = AnyFound & Companies & { basis: Basis; edition: string }
  type Suggestion = Pick<AnyFound, 'hits' | 'isCut'> & Companies & Pick<Basis, 'grunnlag'>
  type One = Pick<AnyFound, 'hits' | 'isCut' | 'band'> & Companies & { basis: Basis }

  /** What the index says, or null when the register is to be asked. */
  async function fromIndex<T>(caller: string, ask: (index: SearchIndex) => Promise<T>): Promise<T | null> {
    const live = index()
    if (live === null) return null
    try {
      return await turns.inIndex(caller, () => ask(live))
    } catch (error) {
      if (!isNotToBeHad(error)) throw error
      log.warn({ err: error }, 'the search index can not be read: the register is asked')
      return null
    }
  }

  const inRegister = (question: TypedQuestion, filters: Filters, caller: string) =>
    turns.atRegister(caller, () => {
      const reader = { lane: 'front', mode: 'normal', turn: { of: caller, rank: RANK.single } } as const
      const { sources } = cached.forReader(reader)
      const { candidatesMax } = policy
      return findInRegister(question, filters, { sources, deadlineMs, candidatesMax, now: clock.now })
    })

  async function findWhole(q: string, filters: Filters, caller: string): Promise<Whole> {
    const question = readQuestion(q)
    const found = await fromIndex(caller, async (live): Promise<Whole | null> => {
      const found = await findAny(question, filters, place)
      // A number the index does not have may be as new as this minute, or of a company that is no more.
      if (question.kind === 'number' && found.hits.length === 0) return null
      const basis = basisOf({ fetchedAt: live.changesUntil ?? live.filesAt, index: live }, found.isCut)
      return { ...found, basis, companies: null, edition: live.builtAt.toISOString() }
    })
    return found ?? findAtRegister(q, filters, caller)
  }

  async function findAtRegister(q: string, filters: Filters, caller: string): Promise<Whole> {
    const asked = await inRegister(readQuestion(q), filters, caller)
    const basis = basisOf({ fetchedAt: asked.fetchedAt, index: null }, false)
    return { ...asked, basis, edition: 'register' }
  }

  /**
   * What is made of hits, with what is shown of them: the register's, when those of the index can not be read any more. Without
   * who was removed while that was read.
   *
   * @param make leaves out who is not to be shown by then
   */
  async function madeOf<Some, Answer extends SokReading | { orgnrs: readonly number[] }>(
    some: Some,
    make: (some: Some) => Promise<Answer>,
    atRegister: () => Promise<Some>,
  ): Promise<Answer> {
    try {
      const made = await make(some)
      const isNamed = 'orgnrs' in made && made.orgnrs.some((orgnr) => isErased(nineDigits(orgnr)))
      return isNamed ? await madeOf(some, make, atRegister) : made
    } catch (error) {
      if (!isNotToBeHad(error)) throw error
      if (error instanceof StorageUnavailableError) turns.letGo(error)
      log.warn({ err: error }, 'what is shown of the hits can not be read: the register is asked')
      return make(await atRegister())
    }
  }

  /** The hits that may be shown, with what is shown of them. */
  async function shown(hits: readonly Hit[], companies: Map<number, CompanyRow> | null) {
    const all =
      companies ??
      (await companiesOf(
        db,
        hits.map(({ orgnr }) => orgnr),
      ))
    return hits.flatMap((hit) => {
      const company = all.get(hit.orgnr)
      return company === undefined ? [] : [treffOf(hit, company)]
    })
  }

  const isShown = ({ orgnr, parent }: Pick<Hit, 'orgnr' | 'parent'>) =>
    !isErased(nineDigits(orgnr)) && (parent === null || !isErased(nineDigits(parent)))

  return {
    /**
     * @param caller whose turn it is, in the index and at the register
     * @throws NoSearchTurnError when its turn did not come in time
     * @throws SourceError when there is no index and the register could not be heard within the deadline
     */
    async sok({ q, filters, size, after }: SearchQuestion, caller: string): Promise<SokReading> {
      const mark = questionMark([q, filters])
      if (after !== null && after.question !== mark) return { outcome: 'other' }
      return madeOf(await findWhole(q, filters, caller), answerOf, () => findAtRegister(q, filters, caller))

      async function answerOf(whole: Whole): Promise<SokReading> {
        if (after !== null && after.edition !== questionMark(whole.edition)) return { outcome: 'replaced' }
        const hits = whole.hits.filter(isShown)
        const from = after === null ? 0 : pageStart(hits, after)
        const page = hits.slice(from, from + size)
        const treff = await shown(page, whole.companies)
        const last = page.at(-1)
        const isMore = from + page.length < hits.length
        const isLeastTotal = !whole.isAll || whole.isCut
        const answer: Sok = {
          visshet: hits.length === 0 ? 'ingen' : whole.band,
          totalt: hits.length,
          totaltErMinst: isLeastTotal,
          vist: treff.length,
          avkortet: hits.length > treff.length || isLeastTotal,
          neste:
            isMore && last !== undefined
              ? writeSearchCursor({
                  after: from + page.length,
                  orgnr: last.orgnr,
                  question: mark,
                  edition: questionMark(whole.edition),
                })
              : null,
          ...whole.basis,
          treff,
        }
        return { outcome: 'found', answer, orgnrs: page.flatMap(numbersOf) }
      }
    },

    /** @throws SourceError like `sok` */
    async forslag(
      q: string,
      size: number,
      caller: string,
    ): Promise<{ answer: Forslag; orgnrs: readonly number[] }> {
      const question = readQuestion(q)
      const found = await fromIndex(caller, async () => {
        if (question.kind !== 'name') return null
        const { hits, isCut } = await suggest(question.text, size, place)
        return { hits, isCut, companies: null, grunnlag: 'indeks' as const }
      })
      const some = found ?? suggestionOf(await findWhole(q, noFilters, caller))
      return madeOf(some, answerOf, async () => suggestionOf(await findAtRegister(q, noFilters, caller)))

      async function answerOf({ hits, isCut, companies, grunnlag }: Suggestion) {
        const page = hits.filter(isShown).slice(0, size)
        const treff = await shown(page, companies)
        return {
          answer: {
            avbrutt: isCut,
            grunnlag,
            treff: treff.map(({ organisasjonsnummer, navn, poststed, kommune, organisasjonsform }) => ({
              organisasjonsnummer,
              navn,
              sted: poststed ?? kommune?.navn ?? null,
              form: organisasjonsform?.kode ?? null,
            })),
          },
          orgnrs: page.flatMap(numbersOf),
        }
      }
    },

    /** @throws SourceError like `sok` */
    async finn(clues: Clues, caller: string): Promise<{ answer: Finn; orgnrs: readonly number[] }> {
      const found = await fromIndex(caller, async (live) => ({
        ...(await findOne(clues, place)),
        companies: null,
        basis: basisOf({ fetchedAt: live.changesUntil ?? live.filesAt, index: live }, false),
      }))
      return madeOf(found ?? (await oneInRegister(clues, caller)), answerOf, () =>
        oneInRegister(clues, caller),
      )

      async function answerOf(some: One): Promise<{ answer: Finn; orgnrs: readonly number[] }> {
        const hits = some.hits.filter(isShown)
        const isOne = some.band === 'sikker' && hits[0] === some.hits[0]
        const treff = await shown(hits.slice(0, CANDIDATES_MAX), some.companies)
        const [first = null] = treff
        const answer: Finn = {
          visshet: hits.length === 0 ? 'ingen' : isOne ? 'sikker' : some.band === 'ingen' ? 'ingen' : 'velg',
          foretak: isOne ? first : null,
          kandidater: isOne || some.band === 'ingen' ? [] : treff,
          ...some.basis,
          avbrutt: some.isCut,
        }
        return { answer, orgnrs: hits.slice(0, CANDIDATES_MAX).flatMap(numbersOf) }
      }
    },
  }

  function suggestionOf({ hits, isCut, companies, basis }: Whole): Suggestion {
    return { hits, isCut, companies, grunnlag: basis.grunnlag }
  }

  /** The register knows names alone; where a company is, its answers say. */
  async function oneInRegister({ navn, nettsted, epost }: Clues, caller: string): Promise<One> {
    const text = navn ?? nettsted ?? epost?.split('@').at(-1) ?? ''
    const asked = await inRegister(readQuestion(text === '' ? '-' : text), noFilters, caller)
    const band = navn === null && asked.band === 'sikker' ? ('velg' as const) : asked.band
    return { ...asked, band, basis: basisOf({ fetchedAt: asked.fetchedAt, index: null }, false) }
  }
}

const CANDIDATES_MAX = 5

/** A page begins after the hit the one before ended with, wherever that stands now. */
function pageStart(hits: readonly Hit[], { after, orgnr }: SearchCursor): number {
  const place = hits.findIndex((hit) => hit.orgnr === orgnr)
  return place < 0 ? after : place + 1
}

function numbersOf({ orgnr, parent }: Pick<Hit, 'orgnr' | 'parent'>): number[] {
  return parent === null ? [orgnr] : [orgnr, parent]
}
