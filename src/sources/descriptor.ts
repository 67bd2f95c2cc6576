import type { Static, TSchema } from 'typebox'
import type { RegisterSettings } from '#config/environment/registers.ts'
import type { Words } from '#src/core/language.ts'
import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import type { Enhet, RegisterUnderenhet, SlettetEnhet } from './enhetsregisteret/schema.ts'
import type { GuardPolicy } from './guard.ts'
import type { NamedLifetime } from './lifetime.ts'
import type { CallBudget } from './register.ts'
import type { RegisterResponse } from './register-client.ts'
import type { Register } from './registers.ts'
import type { Answer } from './source.ts'

/** Who answers for what a source says, and on what terms; `kildeId` stays when the words for people change. */
export type Provenance = { readonly kildeId: string; readonly kilde: string; readonly lisens: string }

/** Path and query of a question, without the host. */
export type SourceQuestion = { path: string; query?: Record<string, string> }

/** Everything the cache keeps has these, wherever it comes from. */
export type KeptDescriptor<Name extends string = string, Value = unknown> = {
  readonly name: Name
  readonly title: Words
  readonly provenance: Provenance
  readonly lifetimes: {
    readonly found: NamedLifetime
    /** Instead of `found` while `isOn`; null: the same all year. */
    readonly season: { readonly lifetime: NamedLifetime; readonly isOn: (now: Date) => boolean } | null
    readonly unsupported: NamedLifetime
    readonly absent: NamedLifetime
    readonly partial: NamedLifetime
  }
  readonly guard: GuardPolicy
  /** What is taken out where the source says that it was removed: this answer, or the company with all that is kept of it. */
  readonly removes: 'answer' | 'company'
  /** An answer that names other companies, without those that are erased; null: it names none, or whoever reads it sees to it. */
  readonly withoutErased: WithoutErased<Value> | null
}

/** What a register is asked, about a company or by a search. */
export type AskedDescriptor<Name extends string = string, Value = unknown> = KeptDescriptor<Name, Value> & {
  readonly register: Register
  /** Of what it says when it has something. What is kept under another shape is not read any more. */
  readonly shape: AnswerShape<Value>
}

/** A schema of exactly these values: made by `shapeOf`, so that the two can not differ. */
export type AnswerShape<Value = unknown> = { readonly schema: TSchema; readonly of?: SameAs<Value> }
type SameAs<Value> = { as(value: Value): Value }['as']

export function shapeOf<S extends TSchema>(schema: S): AnswerShape<Static<S>> {
  return { schema }
}

/** What the registers' feeds tell of a source's answers. What no feed tells of is renewed by its lifetime alone. */
type Touched = {
  /** By an event of the main unit: always, never, or where one of these places of the unit changed or may have. */
  readonly enheter: boolean | readonly string[]
  readonly underenheter: boolean
  readonly roller: boolean
}

/**
 * One register's answer to one question about a company: everything that is true of it, in one place. Names, lanes, guards,
 * lifetimes, tunables, status names, feed effects and provenance are read from here, and stand nowhere else.
 */
export type Source<Name extends string = string, Value = unknown> = AskedDescriptor<Name, Value> & {
  readonly request: (orgnr: string) => SourceQuestion
  /** Whether the unit's own answer leaves anything to ask for, which is then waited for; null: it is asked at once. */
  readonly askedWhen: ((unit: Enhet | SlettetEnhet | RegisterUnderenhet) => boolean) | null
  /** Of an answer that comes in parts: what to ask after these; null after the last, and instead: it comes in one. */
  readonly next: ((parts: readonly RegisterResponse[], orgnr: string) => SourceQuestion | null) | null
  readonly accept: string
  /** What of a 200 that is no JSON is held against it, without anything it says; left out: the JSON itself. @throws SourceError */
  readonly formOf?: (response: RegisterResponse) => unknown
  /** What the body of a 200 is held against by who watches for drift; null: this one says nothing, or none does. */
  readonly schemaOf: (body: unknown) => TSchema | null
  /** Whether a 404 is the source's own word that it has nothing. */
  readonly isAbsence: (response: RegisterResponse) => boolean
  /** What a 500 means here; null: a failure like any other. @throws SourceError */
  readonly unsupported: ((response: RegisterResponse) => Answer<never>) | null
  /** The body of a 200, and of the parts after it. @throws SourceError unless it is believed, and about this very company */
  readonly believe: (
    response: RegisterResponse,
    orgnr: Organisasjonsnummer,
    more: readonly RegisterResponse[],
  ) => Answer<Value>
  readonly touchedBy: Touched
  /** A lane and a budget of its own for what is asked in the background; null: its register's. */
  readonly ownBudget: (CallBudget & { readonly about: string }) | null
  /** Readers' calls have a budget too; null: only the guard's. */
  readonly sparing: Sparing | null
}

/** Where the environment says what readers may ask. */
export type ReadersBudgets = Pick<
  RegisterSettings,
  'kunngjoringCallsPerSecond' | 'regnskapskopiCallsPerSecond'
>

/** What may be asked in each process for readers. */
export type Sparing = {
  /** For operators, who may tune how many. */
  readonly about: string
  readonly callsPerSecond: (settings: ReadersBudgets) => number
  /** So many may come together after a while without any; null: those of one second. */
  readonly savedMax: number | null
  readonly inFlightMax: number
  /** So many wait as have their turn in this time; whoever has the most of them is told at once that it does not come. */
  readonly waitMs: number
  /** From when its turn has come. */
  readonly deadlineMs: number
  /** A page that is meant for people: asked only while it is switched on. */
  readonly isForPeople: boolean
}

/** What a source says when it has something. */
export type ValueOf<S> = S extends Source<string, infer Value> ? Value : never

/** A method's type, so that one list may hold all sources. */
type WithoutErased<Value> = {
  of(value: Value, isErased: (orgnr: string) => boolean): Value
}['of']

export function provenance(kildeId: string, { kilde, lisens }: Register): Provenance {
  return { kildeId, kilde, lisens }
}
