import { type Static, Type } from 'typebox'
import { nineDigits } from '#src/core/organisation-number.ts'
import type { Database, Queryable } from '../database.ts'
import { holdKey } from '../key-chain.ts'
import { nullable, rowReader, Tid } from '../read-rows.ts'
import { standInLines, waitingInLines } from './look-turns.ts'
import { giveUpTurns, type LookLine } from './looks.ts'
import { noting } from './watch-notes.ts'

/** How changes are mailed. */
export type Mailing = 'straks' | 'daglig'

/** What somebody wants to be told of. `typer`: beginnings of the types wanted; null: all. */
export type NewWatch = {
  orgnr: string
  navn: string | null
  typer: readonly string[] | null
  epost: Mailing | null
}

/** `fra`: lines of the log after this number are told. */
export type Watch = NewWatch & { eier: string; fra: number; opprettet: Date }

/**
 * Watches these companies for one owner. One that is watched already keeps where it began and takes the rest of the wish. All of
 * them or none, with a note of what is another than before; one owner's are stored one at a time. A removed company is left out.
 *
 * @param owner whose, and whether of invented companies: those are looked at by nobody, and so are not put in line for it
 * @param max so many of one owner
 * @param ofTestsMax so many of all test keys together, of which the oldest give way: whoever asks is mailed such keys, and with some
 *   weeks' of them would have all the room there is for months
 * @param by the key it is asked with
 * @param lookMs how long each look takes of a line: owners come in turns
 * @param given the turns the owner has had besides, asked for when it is alone
 * @throws KeyOverError
 * @returns how many are watched now, and of each company that was not removed whether it is new; `full`: these would be too many
 */
export async function putWatches(
  db: Pick<Database, 'transaction'>,
  { eier, prove }: { eier: string; prove: boolean },
  wishes: readonly NewWatch[],
  {
    max,
    ofTestsMax = Number.POSITIVE_INFINITY,
    at,
    by,
    lookMs = { neste_at: 0, sene_at: 0 },
    given = () => ({ neste_at: 0, sene_at: 0 }),
  }: {
    max: number
    ofTestsMax?: number
    at: Date
    by?: string | undefined
    lookMs?: Readonly<Record<LookLine, number>>
    given?: () => Readonly<Record<LookLine, number>>
  },
): Promise<{ count: number; stored: ReadonlyMap<string, { isNew: boolean }> } | { full: true }> {
  const numbers = wishes.map(({ orgnr }) => Number(orgnr))
  // Those of a list have one and the same: written out for each of ten thousand they would be megabytes, in one go.
  const kinds = new Map<NewWatch['typer'], number>([[null, 0]])
  for (const { typer } of wishes) if (!kinds.has(typer)) kinds.set(typer, kinds.size)
  return db.transaction(
    async (connection) => {
      await holdWatches(connection, prove ? '' : eier)
      if (by !== undefined) await holdKey(connection, by)
      const [row] = await connection.query<{ count: string; fresh: string }>(
        `select (select count(*) from overvaking where eier = $1 and not orgnr = any($2::integer[])) + alle as count,
         alle - (select count(*) from overvaking where eier = $1 and orgnr = any($2::integer[])) as fresh
       from (select count(distinct ny) as alle from unnest($2::integer[]) as ny) as ny`,
        [eier, numbers],
      )
      const count = Number(row?.count ?? 0)
      if (count > max) return { full: true }
      if (prove && Number(row?.fresh) > 0) {
        const [tests] = await connection.query<{ count: string }>(
          'select count(*) as count from overvaking where prove',
        )
        const tooMany = Number(tests?.count) + Number(row?.fresh) - ofTestsMax
        if (tooMany > 0) await removeOldestOfTests(connection, eier, tooMany)
      }
      const waiting = prove ? null : await waitingInLines(connection, eier, at)
      const besides = given()
      const stored = await connection.query<{ orgnr: number; ny: boolean }>(
        `with foer as materialized (
         select orgnr, typer, epost from overvaking where eier = $1 and orgnr = any($4::integer[])
       ), lagret as (
       insert into overvaking (eier, orgnr, prove, navn, typer, fra_nr, epost, opprettet_at)
       select distinct on (orgnr) $1, orgnr, $2, navn,
         case when slag > 0 then array(select jsonb_array_elements_text(($8::jsonb[])[slag])) end,
         (select greatest(coalesce((select max(nr) from endring), 0), coalesce((select max(til_nr) from endring_borte), 0))),
         epost, $3
       from unnest($4::integer[], $5::text[], $6::integer[], $7::text[]) with ordinality
         as ny (orgnr, navn, slag, epost, plass)
       where not exists (select 1 from fjernet where organisasjonsnummer = lpad(ny.orgnr::text, 9, '0'))
       order by orgnr, plass desc
       on conflict (eier, orgnr) do update
       set navn = excluded.navn, typer = excluded.typer, epost = excluded.epost
       returning orgnr, typer, epost, xmax = 0 as ny
       ), notert as (${noting(
         `select l.orgnr, case when l.ny then 'lagt_til' else 'endret' end as hva from lagret l left join foer f using (orgnr)
          where not $2::boolean and (l.ny or l.typer is distinct from f.typer or l.epost is distinct from f.epost)`,
       )})
       select orgnr, ny from lagret`,
        [
          eier,
          prove,
          at,
          numbers,
          wishes.map(({ navn }) => navn),
          wishes.map(({ typer }) => kinds.get(typer) ?? 0),
          wishes.map(({ epost }) => epost),
          [...kinds.keys()].flatMap((typer) => (typer === null ? [] : JSON.stringify(typer))),
        ],
      )
      if (waiting !== null)
        await standInLines(connection, {
          eier,
          orgnrs: numbers,
          begun: stored.flatMap(({ orgnr, ny }) => (ny ? [orgnr] : [])),
          waiting: {
            neste_at: waiting.neste_at + besides.neste_at,
            sene_at: waiting.sene_at + besides.sene_at,
          },
          listMax: max,
          lookMs,
          at,
        })
      return { count, stored: new Map(stored.map(({ orgnr, ny }) => [nineDigits(orgnr), { isNew: ny }])) }
    },
    prove ? { alone: 'overvaking' } : undefined,
  )
}

/** Others' than this owner's. What somebody else is at in this moment is passed over: nobody waits for them. */
async function removeOldestOfTests(connection: Queryable, eier: string, count: number): Promise<void> {
  await connection.query(
    `delete from overvaking where (eier, orgnr) in (
       select eier, orgnr from overvaking where prove and eier <> $1 order by opprettet_at limit $2 for update skip locked)`,
    [eier, count],
  )
}

/**
 * Ends them, and notes it, in a transaction of the caller's. Of what nobody watches any more the turn to be looked at is given up at once,
 * or whoever begins and ends again and again would make a line for all others; the rest is forgotten when it would be looked at next.
 *
 * As one owner's are stored one at a time, so they are ended: two who hold some of the same list would wait for each other.
 *
 * @param when whose turn comes before `soon` gives it up, and what it was is kept until `keptUntil`; `by`: the key it is asked with;
 *   `onGiven` is told how many turns stay in line for others, while the owner is alone
 * @throws KeyOverError
 * @returns those there were
 */
export async function deleteWatches(
  db: Queryable,
  eier: string,
  orgnrs: readonly string[],
  {
    soon,
    keptUntil,
    by,
    onGiven,
  }: {
    soon: Date
    keptUntil: Date
    by?: string | undefined
    onGiven?: (turns: Readonly<Record<LookLine, number>>) => void
  },
): Promise<ReadonlySet<string>> {
  await holdWatches(db, eier)
  if (by !== undefined) await holdKey(db, by)
  const rows = await db.query<{ orgnr: number }>(
    `with endt as (
       delete from overvaking where eier = $1 and orgnr = any($2::integer[]) returning orgnr, prove
     ), notert as (${noting(`select orgnr, 'tatt_bort' as hva from endt where not prove`)})
     select orgnr from endt`,
    [eier, orgnrs.map(Number)],
  )
  const ended = rows.map(({ orgnr }) => orgnr)
  const stay = await giveUpTurns(db, ended, { soon, keptUntil })
  onGiven?.(stay)
  return new Set(ended.map(nineDigits))
}

export async function countWatches(db: Queryable, eier: string): Promise<number> {
  const [row] = await db.query<{ antall: string }>(
    `select count(*) as antall from overvaking where eier = $1 and ${NOT_REMOVED}`,
    [eier],
  )
  return Number(row?.antall ?? 0)
}

/** One owner's, by number, after this one. */
export async function listWatches(
  db: Queryable,
  eier: string,
  { after = null, limit }: { after?: string | null; limit: number },
): Promise<Watch[]> {
  const rows = await db.query(
    `select ${COLUMNS} from overvaking where eier = $1 and orgnr > $2 and ${NOT_REMOVED} order by orgnr limit $3`,
    [eier, after === null ? 0 : Number(after), limit],
  )
  return readWatches(rows).map(watchOf)
}

/** One of them; null: it is not watched by this owner. */
export async function findWatch(db: Queryable, eier: string, orgnr: string): Promise<Watch | null> {
  const rows = await db.query(
    `select ${COLUMNS} from overvaking where eier = $1 and orgnr = $2 and ${NOT_REMOVED}`,
    [eier, Number(orgnr)],
  )
  const [row] = readWatches(rows)
  return row === undefined ? null : watchOf(row)
}

/** Of what was removed nothing is told from its burial on; the erasure takes it away. */
const NOT_REMOVED = `not exists (select 1 from fjernet where organisasjonsnummer = lpad(orgnr::text, 9, '0'))`

/** As JSON: PostgreSQL's own form of an array is taken apart letter by letter, and a page may have megabytes of them. */
const COLUMNS = 'eier, orgnr, navn, to_json(typer) as typer, fra_nr, epost, opprettet_at'

const Row = Type.Object({
  eier: Type.String(),
  orgnr: Type.Integer(),
  navn: nullable(Type.String()),
  typer: nullable(Type.Array(Type.String())),
  fra_nr: Type.String(),
  epost: nullable(Type.Enum(['straks', 'daglig'])),
  opprettet_at: Tid,
})
const readWatches = rowReader('endring', Row)

function watchOf(row: Static<typeof Row>): Watch {
  const { eier, navn, typer, epost } = row
  return {
    eier,
    orgnr: nineDigits(row.orgnr),
    navn,
    typer,
    epost,
    fra: Number(row.fra_nr),
    opprettet: row.opprettet_at,
  }
}

/** Before the key is held, by whoever does both. */
async function holdWatches(connection: Queryable, of: string): Promise<void> {
  await connection.query('select pg_advisory_xact_lock($1, hashtext($2))', [WATCH_LOCK, of])
}

const WATCH_LOCK = 720_255
