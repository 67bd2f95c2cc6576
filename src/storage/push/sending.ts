import { Type } from 'typebox'
import { lockChain } from '../chain-lock.ts'
import { type Change, COLUMNS, changeOf, namesNoneRemoved, readChanges } from '../changes/change-log.ts'
import type { Database, Queryable } from '../database.ts'
import { putErrand } from '../errands.ts'
import { nullable, rowReader, Tid } from '../read-rows.ts'
import { giveUpWaiting, type Salts } from './endpoints.ts'

/**
 * All times here are PostgreSQL's own: a process whose clock is wrong neither sends early nor late, and says the right time to
 * whoever it sends to.
 */

/** The right to send to an endpoint, of one process at a time. `laas` tells it from those before and after. */
export type Hold = {
  id: string
  laas: string
  eier: string
  /** How long there has been such an endpoint. */
  alderMs: number
}

/**
 * In whose line an endpoint waits: with those that are quick, with those that were slow lately, or with all of test keys, which
 * anybody may have. Each line has places of its own.
 */
export type EndpointLine = 'rask' | 'treg' | 'prove'
export type EndpointInLine = { id: string; line: EndpointLine }

/** Of `endepunkt`. */
export const LINE = `case when endepunkt.prove then 'prove' when endepunkt.treg_til > clock_timestamp() then 'treg' else 'rask' end`

/**
 * Takes an endpoint that has something to send now, for so long: whoever dies with it is followed by another then.
 *
 * @param line the one whose place it would take; null: any
 * @returns null when there is nothing to do there, another has it, or it waits in another line by now
 */
export async function holdEndpoint(
  db: Queryable,
  id: string,
  { forMs, line }: { forMs: number; line: EndpointLine | null },
): Promise<Hold | null> {
  const [row] = await db.query<Hold>(
    `update endepunkt set laas = laas + 1, laas_til = clock_timestamp() + $2 * interval '1 ms'
     where id = $1 and laas_til <= clock_timestamp() and ${IS_SENT_TO} and ($3::text is null or ${LINE} = $3)
     returning id, laas, eier, (extract(epoch from clock_timestamp() - opprettet_at) * 1000)::float8 as "alderMs"`,
    [id, forMs, line],
  )
  return row ?? null
}

/** Holds it on. @returns false when it is not held any more, or nothing is to be sent there now */
export async function holdOn(
  db: Queryable,
  { id, laas }: Hold,
  { forMs }: { forMs: number },
): Promise<boolean> {
  const rows = await db.query(
    `update endepunkt set laas_til = clock_timestamp() + $3 * interval '1 ms'
     where id = $1 and laas = $2 and laas_til > clock_timestamp() and ${IS_SENT_TO} returning id`,
    [id, laas, forMs],
  )
  return rows.length > 0
}

/** Whoever keeps us waiting so long waits behind others that do, for so long. */
export async function noteSlow(db: Queryable, id: string, { forMs }: { forMs: number }): Promise<void> {
  await db.query(`update endepunkt set treg_til = now() + $2 * interval '1 ms' where id = $1`, [id, forMs])
}

export async function letGo(db: Queryable, { id, laas }: Hold): Promise<void> {
  await db.query(`update endepunkt set laas_til = '-infinity' where id = $1 and laas = $2`, [id, laas])
}

/**
 * Deliveries to be sent now, the longest waiting first, each of another company: the oldest of each company that waits, and none
 * while that one has to wait. All that waits is put in order once: left the choice, PostgreSQL compares each of ten thousand that have
 * just come with each other, until it has counted them.
 */
export async function dueDeliveries(db: Queryable, endepunkt: string, limit: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select id from (
       select id, neste_at, endring is null or row_number() over (partition by orgnr order by endring) = 1 as er_forst
       from levering where endepunkt = $1 and tilstand = 'venter') as ventende
     where er_forst and neste_at <= clock_timestamp() order by neste_at, id limit $2`,
    [endepunkt, limit],
  )
  return rows.map(({ id }) => id)
}

/** Endpoints that have something to send now and nobody at it, whoever rang for them: so many of each line, the longest waiting first. */
export async function dueEndpoints(db: Queryable, limit: number): Promise<EndpointInLine[]> {
  return db.query<EndpointInLine>(
    `select id, line from (
       select endepunkt.id, ${LINE} as line, ventet_fra,
         row_number() over (partition by ${LINE} order by ventet_fra, endepunkt.id) as plass
       from endepunkt cross join lateral (
         select l.neste_at as ventet_fra from levering l where l.endepunkt = endepunkt.id and ${IS_DUE}
         order by l.neste_at limit 1) as lengst
       where laas_til <= clock_timestamp() and ${IS_SENT_TO}) as due
     where plass <= $1 order by ventet_fra, id`,
    [limit],
  )
}

/** What is to be sent, and by what it is signed. */
export type Message = Salts & {
  adresse: string
  /** Another as soon as anything was written of the delivery, or it goes to another address. */
  version: string
  /** PostgreSQL's time. */
  now: Date
  type: string
  laget: Date
  /** null: a test. `navn` is what its owner calls the company. */
  endring: (Change & { navn: string | null }) | null
}

/**
 * What a delivery says. One whose change is not there any more, or names a company that was removed, is taken away: there is nothing to
 * be said. One that can not be read is left for a while.
 *
 * @returns null when there is nothing to send now
 */
export async function readMessage(db: Queryable, hold: Hold, id: string): Promise<Message | null> {
  const rows = await db.query<{ endring: string | null; er_borte: boolean }>(
    `select p.adresse, concat_ws(' ', l.xmin, p.id, p.adresse) as versjon, p.salt,
       case when p.forrige_til > now() then p.forrige_salt end as forrige, l.type, l.laget_at,
       l.endring, clock_timestamp() as naa, o.navn,
       l.endring is not null and (e.nr is null or not ${namesNoneRemoved('e')}) as er_borte,
       ${COLUMNS.split(', ')
         .map((column) => `e.${column} as e_${column}`)
         .join(', ')}
     from endepunkt p join levering l on l.endepunkt = p.id
     left join endring e on e.nr = l.endring
     left join overvaking o on o.eier = p.eier and o.orgnr = l.orgnr and o.prove = p.prove
     where p.id = $1 and p.laas = $2 and l.id = $3 and l.tilstand = 'venter'`,
    [hold.id, hold.laas, id],
  )
  if (rows[0]?.er_borte === true) {
    await db.query(
      `with borte as (
         delete from levering where id = $1 and tilstand = 'venter' returning endepunkt, orgnr, endring)
       ${nextIsDue('borte')}`,
      [id],
    )
    return null
  }
  if (rows[0] === undefined) return null
  const [row] = readMessages(rows)
  const isTest = rows[0].endring === null
  const [change] = isTest ? [] : readChanges([changeIn(rows[0])])
  if (row === undefined || (!isTest && change === undefined)) {
    await leaveForNow(db, id)
    return null
  }
  const { adresse, versjon: version, salt, forrige, type, laget_at: laget, naa: now, navn } = row
  return {
    adresse,
    version,
    salt,
    forrige,
    type,
    laget,
    now,
    endring: change === undefined ? null : { ...changeOf(change), navn },
  }
}

/**
 * Looked at again in a minute: as another release wrote it (P105), by whoever knows it or not. What waits behind it waits with it.
 */
export async function leaveForNow(db: Queryable, id: string): Promise<void> {
  await db.query(
    `update levering set neste_at = clock_timestamp() + interval '1 minute' where id = $1 and tilstand = 'venter'`,
    [id],
  )
}

/** What one attempt came to, as its owner may see it. */
export type NotedAttempt = { ms: number; status: number | null; arsak: string | null }

/**
 * It was taken: done, and what waited behind it may go. The endpoint is well again. True whoever holds the endpoint by now. Its number
 * may be another endpoint's since PostgreSQL was set back.
 *
 * The endpoint comes before what is sent there, as with whoever switches it off.
 */
export async function noteTaken(db: Queryable, endepunkt: string, id: string, attempt: NotedAttempt) {
  await db.query(
    `with frisk as (
       update endepunkt set feil = 0, feilet_fra = null, levert_at = now()
       where id = $1 and exists (select 1 from levering where id = $2 and endepunkt = $1 and tilstand = 'venter')
         and (feil > 0 or feilet_fra is not null or levert_at is null or levert_at < now() - interval '1 s') returning id),
     levert as (
       update levering set tilstand = 'levert', forsok = forsok + 1, begynt_at = coalesce(begynt_at, now()), ferdig_at = now(),
         logg = ${withAttempt('$3')}
       where id = $2 and endepunkt = $1 and tilstand = 'venter' and (select count(*) from frisk) >= 0
       returning id, endepunkt, orgnr, endring)
     ${nextIsDue('levert')}`,
    [endepunkt, id, JSON.stringify(attempt)],
  )
}

/** What follows an attempt that failed; times from now. */
export type AfterFailure = {
  /** null: there is no further attempt. */
  againInMs: number | null
  /** Nothing at all is tried there before. */
  pauseMs: number
}

/**
 * It was not taken. What follows is decided by how often it has failed, the delivery and the endpoint, and noted with it. An
 * endpoint that answered 410 is switched off, as is one where nothing was taken for so long; its owner is mailed, in the same
 * transaction.
 *
 * @param decide from the number of this attempt, and that of failures in a row at the endpoint
 * @returns why it was switched off, when it was
 */
export async function noteFailed(
  db: Pick<Database, 'transaction'>,
  hold: Hold,
  id: string,
  attempt: NotedAttempt & { isGone: boolean },
  decide: (attempts: number, failuresInARow: number) => AfterFailure,
  { offAfterMs, at }: { offAfterMs: number; at: Date },
): Promise<'borte' | 'feilet' | null> {
  return db.transaction(
    async (connection) => {
      // Before the endpoint, as whoever ends a key that leaked does, and switches its endpoints off.
      await lockChain(connection, hold.eier)
      // Whoever holds it now may be at this very delivery: what it finds counts.
      const [endpoint] = await connection.query<{
        feil: number
        eier: string
        prove: boolean
        feilet_fra: Date | null
      }>(
        `update endepunkt set feil = feil + 1, feilet_fra = coalesce(feilet_fra, now())
       where id = $1 and laas = $2 returning feil, eier, prove, feilet_fra`,
        [hold.id, hold.laas],
      )
      if (endpoint === undefined) return null
      const { isGone, ...told } = attempt
      const [delivery] = await connection.query<{ forsok: number; er_forste: boolean }>(
        `update levering set forsok = forsok + 1, begynt_at = coalesce(begynt_at, now()), logg = ${withAttempt('$2')}
       where id = $1 and endepunkt = $3 and tilstand = 'venter' returning forsok, begynt_at = now() as er_forste`,
        [id, JSON.stringify(told), hold.id],
      )
      const { againInMs, pauseMs } = decide(delivery?.forsok ?? 1, endpoint.feil)
      await connection.query(
        `with utsatt as (
         update levering set neste_at = coalesce(now() + $2 * interval '1 ms', neste_at),
           tilstand = case when $2::float8 is null then 'oppgitt' else tilstand end,
           ferdig_at = case when $2::float8 is null then now() end
         where id = $1 and endepunkt = $3 and tilstand = 'venter' returning endepunkt, orgnr, endring, neste_at, tilstand)
       update levering l set neste_at = utsatt.neste_at from utsatt
       where utsatt.tilstand = 'venter' and ${isBehind('l', 'utsatt')} and l.forsok = 0 and l.neste_at < utsatt.neste_at`,
        [id, againInMs, hold.id],
      )
      const [off] = await connection.query<{ av_grunn: 'borte' | 'feilet' | null }>(
        `update endepunkt set neste_at = greatest(neste_at, now() + $2 * interval '1 ms'),
         av_at = coalesce(av_at, case when $3 or ${hasFailedFor('$4', '$5')} then now() end),
         av_grunn = coalesce(av_grunn, case when $3 then 'borte' when ${hasFailedFor('$4', '$5')} then 'feilet' end)
       where id = $1 returning case when av_at = now() then av_grunn end as av_grunn`,
        [hold.id, pauseMs, isGone, offAfterMs, againInMs === null ? id : null],
      )
      const why = off?.av_grunn ?? null
      if (why === null) return null
      await giveUpWaiting(connection, hold.id)
      if (!endpoint.prove) await mailOwner(connection, endpoint.eier, at)
      return why
    },
    { alone: `kjede ${hold.eier}` },
  )
}

/** By PostgreSQL's time, all through. @param delivery one that was given up: where nothing was taken since its first attempt */
function hasFailedFor(ms: string, delivery: string): string {
  return `(feilet_fra <= now() - ${ms}::float8 * interval '1 ms'
    or feilet_fra <= (select begynt_at from levering where levering.id = ${delivery}::bigint))`
}

/**
 * Whoever has the key can have an endpoint switched off and on as often as they like: the owner has so many mails of it in a day, and
 * the next tells of all that are off by then. For whoever holds the chain.
 */
async function mailOwner(connection: Queryable, eier: string, at: Date): Promise<void> {
  const [row] = await connection.query<{ nr: number; venter: boolean; tidligst: Date }>(
    `select coalesce(max(nr), 0) + 1 as nr, coalesce(bool_or(ferdig_at is null and forsok = 0), false) as venter,
       greatest($2::timestamptz, (
         select laget_at from utboks where slag = 'avslatt' and gjelder = $1 order by nr desc offset $3 limit 1
       ) + interval '1 day') as tidligst
     from utboks where slag = 'avslatt' and gjelder = $1`,
    [eier, at, MAILS_PER_DAY - 1],
  )
  if (row === undefined || row.venter) return
  await putErrand(connection, { slag: 'avslatt', gjelder: eier, nr: row.nr, notBefore: row.tidligst }, at)
}

const MAILS_PER_DAY = 4

/** The newest of so many. */
const ATTEMPTS_KEPT = 20

function withAttempt(attempt: string): string {
  return `(select jsonb_agg(ett order by nr) from (
    select ett, nr from jsonb_array_elements(logg || (${attempt}::jsonb || jsonb_build_object('tid', clock_timestamp())))
      with ordinality as alle (ett, nr) order by nr desc limit ${ATTEMPTS_KEPT}) as nyeste)`
}

/** Of `endepunkt`. */
const IS_SENT_TO = 'av_at is null and hviler_fra is null and neste_at <= clock_timestamp()'

/**
 * When a delivery is due that is asked for again: not before one of its company that waits before it. What waits behind another is put
 * off with it, so that whoever looks for what is due does not go through tens of thousands that are not.
 */
export function dueBehindOthers(delivery: string): string {
  return `greatest(now(), (
    select foran.neste_at from levering foran where foran.endepunkt = ${delivery}.endepunkt and foran.orgnr = ${delivery}.orgnr
      and foran.tilstand = 'venter' and foran.endring < ${delivery}.endring order by foran.endring limit 1))`
}

/**
 * The same of many, and each in the order of the log. All that waits of their companies is put in order once: left the choice, PostgreSQL
 * goes through all that waits at an endpoint for each of them, for as long as it has counted less than there is.
 *
 * @param deliveries with an endpoint, a change, and the company and type of that
 */
export function dueInOrder(deliveries: string): string {
  return `select endepunkt, endring, orgnr, type, neste_at from (
      select endepunkt, endring, orgnr, type, er_ny, greatest(now(), case
        when first_value(endring) over rekke < endring then first_value(neste_at) over rekke end) as neste_at
      from (
        select endepunkt, endring, orgnr, type, now() as neste_at, true as er_ny from ${deliveries}
        union all
        select endepunkt, endring, orgnr, type, neste_at, false from levering
        where tilstand = 'venter' and orgnr = any(array(select orgnr from ${deliveries}))) as alle
      window rekke as (partition by endepunkt, orgnr order by er_ny, endring)) as i_rekke
    where er_ny order by endring`
}

/** The last number there is. */
const NO_CHANGE_IS_LATER = '9223372036854775807'

/** What waits behind one that waits no more may go, up to one that was tried before and has a time of its own. */
function nextIsDue(over: string): string {
  return `update levering l set neste_at = now() from ${over}
    where ${isBehind('l', over)} and l.forsok = 0 and l.neste_at > now() and l.endring < coalesce((
      select n.endring from ${over} join levering n on ${isBehind('n', over)} and n.forsok > 0 order by n.endring limit 1),
      ${NO_CHANGE_IS_LATER})`
}

function isBehind(row: string, other: string): string {
  return `${row}.endepunkt = ${other}.endepunkt and ${row}.orgnr = ${other}.orgnr and ${row}.tilstand = 'venter'
    and ${row}.endring > ${other}.endring`
}

/** Of `levering` as `l`: its turn has come, and none of its company came before it and waits. */
const IS_DUE = `l.tilstand = 'venter' and l.neste_at <= clock_timestamp() and not exists (
  select 1 from levering foer where foer.endepunkt = l.endepunkt and foer.tilstand = 'venter' and foer.orgnr = l.orgnr
    and foer.endring < l.endring)`

const Row = Type.Object({
  adresse: Type.String(),
  versjon: Type.String(),
  salt: Type.Unsafe<Buffer>({}),
  forrige: nullable(Type.Unsafe<Buffer>({})),
  type: Type.String(),
  laget_at: Tid,
  naa: Tid,
  navn: nullable(Type.String()),
})
const readMessages = rowReader('levering', Row)

function changeIn(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).flatMap(([name, value]) => (name.startsWith('e_') ? [[name.slice(2), value]] : [])),
  )
}
