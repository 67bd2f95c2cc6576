import { setTimeout as pause } from 'node:timers/promises'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { CompanySource } from '#src/sources/index.ts'
import { type Answer, SourceError } from '#src/sources/source.ts'
import { keepCanaryRun, newestCanaryRuns } from '#src/storage/canary-runs.ts'
import type { Queryable } from '#src/storage/database.ts'
import { differences, joined, type SeenShape, seenShapeOf, since } from './shape.ts'

const Lines = Type.Array(Type.String())
const SourceResult = Type.Object({
  spurt: Type.Integer(),
  /** Answers with a shape: found and believed, or not believed. */
  lest: Type.Integer(),
  /** How calls ended without an answer, by failure. */
  feil: Type.Record(Type.String(), Type.Integer()),
  form: Type.Record(Type.String(), Lines),
  nye: Lines,
  mangler: Lines,
  endret: Lines,
})
const CanaryResult = Type.Object({
  /** No register could be reached at all: nothing is known of their shapes. */
  utenNett: Type.Boolean(),
  kilder: Type.Record(Type.String(), SourceResult),
})
export type CanaryResult = Static<typeof CanaryResult>

const stored = Compile(CanaryResult)

/** What an earlier release kept in another shape is not read. */
function readCanaryResult(value: unknown): CanaryResult | null {
  return stored.Check(value) ? value : null
}

/** One question to one source: how it was taken, and the body as the register sent it; null when it was no JSON. */
type Asked = { answer: Promise<Answer<unknown>>; body: () => unknown }

export type CanaryQuestion = {
  source: CompanySource
  orgnr: string
  /** What a body of this source is expected to be; null where the body is of another kind and says nothing. */
  schemaOf: (body: unknown) => object | null
  ask: (signal: AbortSignal) => Asked
}

/**
 * Asks a few well-known companies of the registers, one call at a time with a pause between, and holds the shapes of what
 * comes against the schemas the sources read by. Gives up early when nobody can be reached.
 */
export async function runCanary(
  questions: readonly CanaryQuestion[],
  {
    pauseMs,
    callMs,
    signal,
    giveUpAfter,
  }: { pauseMs: number; callMs: number; signal: AbortSignal; giveUpAfter: number },
): Promise<CanaryResult> {
  const kept = new Map<
    string,
    { spurt: number; shapes: SeenShape[]; feil: Record<string, number>; schema: object | null }
  >()
  let unreached = 0
  let asked = 0
  for (const { source, schemaOf, ask } of questions) {
    signal.throwIfAborted()
    if (asked > 0) await pause(pauseMs, undefined, { signal })
    const of = kept.get(source) ?? { spurt: 0, shapes: [], feil: {}, schema: null }
    kept.set(source, of)
    of.spurt += 1
    asked += 1
    const { answer, body } = ask(AbortSignal.any([signal, AbortSignal.timeout(callMs)]))
    const failure = await failureOf(answer, signal)
    if (failure !== null) of.feil[failure] = (of.feil[failure] ?? 0) + 1
    const seen = body()
    const schema = seen === undefined ? null : schemaOf(seen)
    if (schema !== null) {
      of.shapes.push(seenShapeOf(seen))
      of.schema = schema
    }
    unreached += Number(failure === 'nettverk' || failure === 'tidsfrist')
    if (unreached === asked && unreached >= giveUpAfter) break
  }
  return {
    utenNett: asked > 0 && unreached === asked,
    kilder: Object.fromEntries(
      [...kept].map(([source, { spurt, shapes, feil, schema }]) => {
        const form = joined(shapes)
        const found = schema === null ? { nye: [], mangler: [], endret: [] } : differences(form, schema)
        return [source, { spurt, lest: shapes.length, feil, form, ...found }]
      }),
    ),
  }
}

async function failureOf(answer: Promise<unknown>, signal: AbortSignal): Promise<string | null> {
  try {
    await answer
    return null
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof SourceError) return error.failure
    if (error instanceof DOMException) return 'tidsfrist'
    throw error
  }
}

/** What an operator looks at: each source against its schema, and against the run before. */
export type CanaryReport = {
  ferdig: Date
  forrige: Date | null
  utenNett: boolean
  kilder: {
    kilde: string
    spurt: number
    lest: number
    feil: Record<string, number>
    skjema: { nye: string[]; mangler: string[]; endret: string[] }
    /** Null where one of the two has no answer of it. */
    siden: { nye: string[]; borte: string[]; endret: string[] } | null
  }[]
}

/** @param runs those that ended, the newest first; the others say what it is compared with */
export function canaryReport(runs: readonly { ferdig: Date; resultat: unknown }[]): CanaryReport | null {
  const read = runs.flatMap(({ ferdig, resultat }) => {
    const result = readCanaryResult(resultat)
    return result === null ? [] : [{ ferdig, result }]
  })
  const [newest, ...earlier] = read
  if (newest === undefined) return null
  const before = earlier.find(({ result }) => !result.utenNett)
  return {
    ferdig: newest.ferdig,
    forrige: before?.ferdig ?? null,
    utenNett: newest.result.utenNett,
    kilder: Object.entries(newest.result.kilder).map(([kilde, now]) => {
      const then = before?.result.kilder[kilde]
      const isComparable = then !== undefined && then.lest > 0 && now.lest > 0
      const { spurt, lest, feil, nye, mangler, endret } = now
      return {
        kilde,
        spurt,
        lest,
        feil,
        skjema: { nye, mangler, endret },
        siden: isComparable ? since(then.form, now.form) : null,
      }
    }),
  }
}

/**
 * How many things somebody should look at: what is missing or of another type than the sources read, and what came, went or
 * changed since the run before. A field that is new to the schema and was there yesterday as well is no news.
 */
function newsIn({ kilder }: CanaryReport): Record<'skjema' | 'siden', number> {
  return {
    skjema: kilder.reduce((sum, { skjema }) => sum + skjema.mangler.length + skjema.endret.length, 0),
    siden: kilder.reduce(
      (sum, { siden }) =>
        siden === null ? sum : sum + siden.nye.length + siden.borte.length + siden.endret.length,
      0,
    ),
  }
}

/** Keeps what a run found, and how much of it is news. */
export async function keepRun(
  db: Queryable,
  run: { natt: string | null; startet: Date; ferdig: Date; resultat: CanaryResult },
  { comparedMax }: { comparedMax: number },
): Promise<void> {
  const report = canaryReport([run, ...(await newestCanaryRuns(db, comparedMax))])
  const nytt = report === null || report.utenNett ? null : newsIn(report)
  await keepCanaryRun(db, { ...run, nytt })
}
