import { isOrganisasjonsnummer, type Organisasjonsnummer } from '#src/core/organisation-number.ts'
import type { Enhet, Roller, SlettetEnhet, Underenhet } from '#src/sources/enhetsregisteret/schema.ts'
import type { Fullmakt } from '#src/sources/fullmakt/schema.ts'
import type { Kunngjoring } from '#src/sources/kunngjoringer/announcements.ts'
import type { Addresses } from '#src/sources/questions.ts'
import { type Call, SourceError } from '#src/sources/source.ts'
import type { Eierskap } from './eierskap/eierskap.ts'
import {
  type Failed,
  type Found,
  type Heard,
  merge,
  type NotImported,
  type OnFault,
  type Parts,
  type Settled,
} from './merge.ts'
import { ofOneEdition } from './one-edition.ts'
import type { PersonIds } from './person-ids.ts'
import type { Bedrift, SectionName } from './record.ts'
import type { Aksjonaerer } from './sections/aksjonaerer.ts'
import type { Unit } from './sections/foretak.ts'
import type { IndustryCodes } from './sections/naering.ts'
import type { KnownAccounts } from './sections/regnskap/known-accounts.ts'

type Ask<T> = (orgnr: Organisasjonsnummer, call: Call) => Promise<Heard<T>>
/** `anew`: what is held will not do. */
type AskArchive<T> = (
  orgnr: Organisasjonsnummer,
  call: Call,
  anew?: boolean,
) => Promise<Heard<T> | NotImported>

/** The questions one record asks of registers. Whoever wires them decides whether a register or a cache answers. */
export type RegisterSources = {
  enhet: Ask<Enhet | SlettetEnhet>
  underenhet: Ask<Underenhet | SlettetEnhet>
  roller: Ask<Roller>
  signatur: Ask<Fullmakt>
  prokura: Ask<Fullmakt>
  regnskap: Ask<KnownAccounts>
  kunngjoringer: Ask<Kunngjoring[]>
}

/** All the questions one record is made of. */
export type RecordSources = RegisterSources & {
  aksjonaerer: AskArchive<Aksjonaerer>
  eierskap: AskArchive<Eierskap>
}

/** Never existed, removed on legal grounds, and not to be had now are three different answers (P3). */
export type Reading =
  | { outcome: 'record'; record: Bedrift }
  | { outcome: 'unknown' }
  | { outcome: 'removed'; slettedato: string | null }
  | { outcome: 'unavailable'; retryAfterSeconds: number | null }

/**
 * Reads one company: every source is asked at the same time under one deadline, and the record is merged from what came.
 * The main register decides first: without it there is no record, so the other calls are then given up.
 * Whatever a source throws, at once or later, costs its own section (P2, P42).
 *
 * @param deadlineMs for the whole answer; a source that is later is `utilgjengelig` in this answer
 * @param onFault told what a source threw that is no failure of its register
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
  },
): Promise<Reading> {
  const { sources, onFault } = reader
  const wait = startWait(reader.deadlineMs, onFault)
  const { call, settle } = wait
  try {
    const base = readUnit(orgnr, sources, wait)
    const others = Promise.all([
      settle('roller', () => sources.roller(orgnr, call)),
      settle('signatur', () => sources.signatur(orgnr, call)),
      settle('prokura', () => sources.prokura(orgnr, call)),
      settle('regnskap', () => sources.regnskap(orgnr, call)),
      settle('kunngjoringer', () => sources.kunngjoringer(orgnr, call)),
      settle('aksjonaerer', () => sources.aksjonaerer(orgnr, call)),
      settle('eierskap', () => sources.eierskap(orgnr, call)),
    ])
    const unit = await base
    if (unit.outcome !== 'found') {
      wait.giveUp()
      await others
      return withoutRecord(unit)
    }
    const parent = await readParent(unit, sources, wait)
    const [roller, signatur, prokura, regnskap, kunngjoringer, ...archived] = await others
    const [aksjonaerer, eierskap] = await ofOneEdition(archived, {
      aksjonaerer: () => settle('aksjonaerer', () => sources.aksjonaerer(orgnr, call, true)),
      eierskap: () => settle('eierskap', () => sources.eierskap(orgnr, call, true)),
    })
    return {
      outcome: 'record',
      record: merge(
        {
          unit,
          parent,
          roller,
          signatur,
          prokura,
          regnskap,
          kunngjoringer,
          aksjonaerer,
          eierskap,
          industryCodes: reader.industryCodes(),
          unitFrom: unit.from,
          addresses: reader.addresses,
          personIds: reader.personIds(),
        },
        onFault,
      ),
    }
  } catch (error) {
    wait.giveUp()
    throw error
  } finally {
    wait.end()
  }
}

type UnitReading = Settled<Unit> & { from: 'enhet' | 'underenhet'; retryAfterSeconds?: number | null }

/** A number is a main unit's or a sub-unit's, and only asking tells; most are main units. */
async function readUnit(
  orgnr: Organisasjonsnummer,
  sources: RecordSources,
  { call, settle }: Wait,
): Promise<UnitReading> {
  const main = await settle('enhet', () => sources.enhet(orgnr, call))
  if (main.outcome !== 'absent') return { ...main, from: 'enhet' }
  return { ...(await settle('enhet', () => sources.underenhet(orgnr, call))), from: 'underenhet' }
}

async function readParent(
  { value }: Found<Unit>,
  sources: RecordSources,
  { call, settle }: Wait,
): Promise<Parts['parent']> {
  const organisasjonsnummer = value.overordnetEnhet
  if (organisasjonsnummer === undefined) return null
  if (organisasjonsnummer === null || !isOrganisasjonsnummer(organisasjonsnummer)) {
    const answer = { outcome: 'failed', failure: 'ugyldig_svar', field: '/overordnetEnhet' } as const
    return { organisasjonsnummer, answer }
  }
  const answer = await settle('overordnetEnhet', () => sources.enhet(organisasjonsnummer, call))
  return { organisasjonsnummer, answer }
}

function withoutRecord(unit: Exclude<UnitReading, { outcome: 'found' }>): Reading {
  if (unit.outcome === 'absent') return { outcome: 'unknown' }
  if (unit.outcome === 'removed') return { outcome: 'removed', slettedato: unit.slettedato }
  return { outcome: 'unavailable', retryAfterSeconds: unit.retryAfterSeconds ?? null }
}

type Wait = ReturnType<typeof startWait>
type CallFailed = Failed & { retryAfterSeconds?: number | null }

/**
 * The time one answer may take. All its calls hang on one signal, with one timer and one listener: a record that is put
 * together from what is held has a dozen of them and waits for none.
 */
function startWait(deadlineMs: number, onFault: OnFault) {
  const wait = new AbortController()
  const late = Promise.withResolvers<Failed>()
  const timer = setTimeout(() => abort(new DOMException('The answer is due', 'TimeoutError')), deadlineMs)
  timer.unref()

  function abort(reason: DOMException): void {
    wait.abort(reason)
    // In the next turn: the deadline also ends the wait for the source, and a copy at hand that covers it comes in this one.
    setImmediate(() => late.resolve(LATE))
  }

  function failed(section: SectionName, error: unknown): CallFailed {
    if (error instanceof SourceError) {
      const { failure, field, retryAfterSeconds } = error
      return { outcome: 'failed', failure, field, retryAfterSeconds }
    }
    onFault(section, error)
    return { outcome: 'failed', failure: 'intern_feil' }
  }

  return {
    call: { signal: wait.signal },

    /**
     * Asks, and turns a failed or late call into a value: it never rejects. The deadline is kept here as well as in the call
     * itself, so that a source that does not heed its signal can not hold up the answer.
     */
    settle<A>(section: SectionName, ask: () => Promise<A>): Promise<A | CallFailed> {
      // What comes after the deadline is nobody's answer any more; a fault is told all the same.
      return Promise.race([Promise.try(ask).catch((error) => failed(section, error)), late.promise])
    },

    /** Nobody needs what is still on its way. */
    giveUp: () => abort(GIVEN_UP),

    end: () => clearTimeout(timer),
  }
}

const LATE: Failed = { outcome: 'failed', failure: 'tidsfrist' }
/** Made once: an error costs its stack. */
const GIVEN_UP = new DOMException('Nobody waits for it', 'AbortError')
