import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { OppslagError } from '#src/core/errors.ts'

/**
 * A backup is one gzipped file of SQL: rows in PostgreSQL's own COPY text, which every later version reads, and before each
 * statement a comment of JSON that says the same. The program reads the comments; without the program `psql` reads the rest,
 * into a database that `npm run migrate` of the same release has made.
 *
 *     -- {"format":1,"tatt":"…","postgres":"18.4","skjema":[{"navn":"0001_api_keys.sql","sjekksum":"…"}]}
 *     -- {"tabell":"api_nokkel","kolonner":["id",…],"del":null}
 *     copy api_nokkel (id, …) from stdin;
 *     …
 *     \.
 *     -- {"tabeller":[{"tabell":"api_nokkel","rader":3,"sha256":"…"}],"sekvenser":[{"sekvens":"fjernet_nummer","verdi":"7","brukt":true}]}
 *
 * The schema itself is not in it: it is what the named migrations make, so that a backup is read into any later release and any
 * later PostgreSQL. The queue is not in it either: what must be done stands in these tables.
 */
export const FORMAT = 1

const Name = Type.String({ pattern: '^[a-z_][a-z0-9_]*$', maxLength: 63 })
const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' })

const Beginning = Type.Object({
  format: Type.Integer(),
  tatt: Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{8,15}Z$' }),
  postgres: Type.String({ maxLength: 100 }),
  skjema: Type.Array(Type.Object({ navn: Type.String({ maxLength: 200 }), sjekksum: Sha256 }), {
    minItems: 1,
    maxItems: 9999,
  }),
})

const BackedUpTable = Type.Object({
  tabell: Name,
  kolonner: Type.Array(Name, { minItems: 1, maxItems: 1600 }),
  /** A part of a table that is divided, by the number it holds. */
  del: Type.Union([Type.Null(), Type.Object({ av: Name, verdi: Type.Integer() })]),
})

const Ending = Type.Object({
  tabeller: Type.Array(Type.Object({ tabell: Name, rader: Type.Integer({ minimum: 0 }), sha256: Sha256 }), {
    maxItems: 100_000,
  }),
  sekvenser: Type.Array(
    Type.Object({ sekvens: Name, verdi: Type.String({ pattern: '^-?[0-9]{1,18}$' }), brukt: Type.Boolean() }),
    { maxItems: 100_000 },
  ),
})

export type Beginning = Static<typeof Beginning>
export type BackedUpTable = Static<typeof BackedUpTable>
export type Ending = Static<typeof Ending>

const beginning = Compile(Beginning)
const table = Compile(BackedUpTable)
const ending = Compile(Ending)

/** The file is no backup, not whole, or not as it was written. */
export class BackupUnreadableError extends OppslagError {
  constructor(why: string, cause?: unknown) {
    super('ulesbar_sikkerhetskopi', `Sikkerhetskopien kan ikke brukes: ${why}.`, { cause })
  }
}

export function readBeginning(said: unknown): Beginning {
  if (!beginning.Check(said))
    throw new BackupUnreadableError('den begynner ikke som en sikkerhetskopi herfra')
  if (said.format === FORMAT) return said
  throw new BackupUnreadableError(
    `den har format ${said.format}, og dette programmet leser ${FORMAT}. Bruk programmet som laget den, eller et nyere`,
  )
}

export function readTable(said: unknown): BackedUpTable {
  if (table.Check(said)) return said
  throw new BackupUnreadableError('en tabell er beskrevet på en ukjent måte')
}

export function readEnding(said: unknown): Ending {
  if (ending.Check(said)) return said
  throw new BackupUnreadableError('slutten er skrevet på en ukjent måte')
}

export function isEnding(said: unknown): boolean {
  return typeof said === 'object' && said !== null && 'tabeller' in said
}

/** Rows look the same whatever the server's own settings are. */
export const SETTINGS = [
  `set client_encoding = 'UTF8'`,
  `set datestyle = 'ISO, YMD'`,
  `set intervalstyle = 'postgres'`,
  `set timezone = 'UTC'`,
  `set bytea_output = 'hex'`,
  'set extra_float_digits = 1',
]

/** What stands before a table's rows. A part is filled alone, and is then joined to its table. */
export function statementsBefore({ tabell, kolonner, del }: BackedUpTable): string[] {
  const made =
    del === null ? [] : [`create table ${tabell} (like ${del.av} including defaults including constraints)`]
  return [...made, `copy ${tabell} (${kolonner.join(', ')}) from stdin`]
}

export function statementsAfter({ tabell, del }: BackedUpTable): string[] {
  return del === null ? [] : [`alter table ${del.av} attach partition ${tabell} for values in (${del.verdi})`]
}

export function statementsAtEnd({ sekvenser }: Ending): string[] {
  return sekvenser.map(({ sekvens, verdi, brukt }) => `select setval('${sekvens}', ${verdi}, ${brukt})`)
}

export const END_OF_ROWS = '\\.'
