import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'

/** What a process says of itself every few seconds. Names no company, key or person. */
const ProcessReport = Type.Object({
  adresse: Type.Union([Type.String({ maxLength: 300 }), Type.Null()]),
  klar: Type.Boolean(),
  /** What is away, whether it keeps the process from its work or not. */
  hindringer: Type.Array(Type.String({ maxLength: 300 }), { maxItems: 20 }),
  stilling: Type.Integer({ minimum: 0 }),
  stillingBrutt: Type.Boolean(),
  kilder: Type.Record(
    Type.String({ maxLength: 40 }),
    Type.Object({
      bryter: Type.Union([Type.Literal('lukket'), Type.Literal('apen'), Type.Literal('prover')]),
      sistSvar: Type.Union([Type.String({ maxLength: 40 }), Type.Null()]),
      sistFeil: Type.Union([Type.String({ maxLength: 40 }), Type.Null()]),
    }),
  ),
  feeder: Type.Array(
    Type.Object({
      feed: Type.String({ maxLength: 40 }),
      etterslepMs: Type.Union([Type.Number(), Type.Null()]),
      nyeste: Type.Union([Type.String({ maxLength: 40 }), Type.Null()]),
    }),
    { maxItems: 10 },
  ),
  minne: Type.Object({
    rssByte: Type.Number(),
    foretak: Type.Number(),
    foretakByte: Type.Number(),
    svar: Type.Number(),
    svarByte: Type.Number(),
  }),
  redis: Type.Union([Type.Boolean(), Type.Null()]),
  /** How far this process' clock is ahead of PostgreSQL's; null when it was not measured. */
  klokkeForanMs: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
  /** For how long PostgreSQL has taken nothing of what this process saw of companies. */
  uskrevetMs: Type.Optional(Type.Number()),
  /** Since when no mail was taken of those this process tried, the last of them, and the last that was. */
  epost: Type.Optional(
    Type.Object({
      feilerSiden: Type.Union([Type.String({ maxLength: 40 }), Type.Null()]),
      sistFeilet: Type.Union([Type.String({ maxLength: 40 }), Type.Null()]),
      sistTatt: Type.Union([Type.String({ maxLength: 40 }), Type.Null()]),
    }),
  ),
})

export type ProcessReport = Static<typeof ProcessReport>

const isReport = Compile(ProcessReport)

/** Null for what another release may have written. */
export function readProcessReport(stored: unknown): ProcessReport | null {
  return isReport.Check(stored) ? stored : null
}
