import type { Queryable } from './database.ts'
import { keyInUse } from './key-life.ts'

export type LostReason = 'tapt' | 'lekket'

/** A link that was mailed. `brukt`: when what it asks for was begun. */
type KeyLink = { slag: 'erstatt' | 'forny'; nokkel: string; grunn: LostReason | null; brukt: Date | null }

/**
 * Writes down that an address asked for a new key, whoever's it is.
 *
 * @returns false, and nothing is written, when `waitingMax` of this kind wait already
 */
export async function askForReplacement(
  db: Queryable,
  { epost, grunn }: { epost: string; grunn: LostReason },
  at: Date,
  waitingMax: number,
): Promise<boolean> {
  const rows = await db.query(
    `insert into erstatningsonske (epost, grunn, spurt_at)
     select $1, $2, $3 where (select count(*) from erstatningsonske where grunn = $2) < $4 returning id`,
    [epost, grunn, at, waitingMax],
  )
  return rows.length > 0
}

/** Whether there is any wish: one look, where nobody has asked for anything nearly always. */
export async function isAnyWish(db: Queryable): Promise<boolean> {
  const rows = await db.query('select 1 from erstatningsonske limit 1')
  return rows.length > 0
}

/**
 * Wishes for addresses nobody's key goes to, and what was said before of the same address for the same reason: all there are, at once, so
 * that a flood of them keeps nobody waiting, and what waits for a mail server takes up the room of one, however often it is said.
 */
export async function dropNeedlessWishes(db: Queryable): Promise<void> {
  await db.query(
    `delete from erstatningsonske where id in (
       select id from erstatningsonske w
       where not ${isThere('from api_nokkel n where lower(n.epost) = lower(w.epost)')}
         or id not in (select min(id) from erstatningsonske group by lower(epost), grunn)
       for update skip locked
     )`,
  )
}

/**
 * Takes the oldest wish that nobody else is at, those about leaked keys first, and with it all of the same address and reason:
 * they are gone when the transaction is. One whose only key has been mailed, of which the mail server has not told yet that it has it,
 * waits until that is known: there is no link to it before, and it may be in its mailbox, or in somebody else's hands.
 */
export async function takeReplacementWish(
  connection: Queryable,
  at: Date,
): Promise<{ epost: string; grunn: LostReason } | null> {
  const [row] = await connection.query<{ epost: string; grunn: LostReason }>(
    `with eldste as (
       select epost, grunn from erstatningsonske w
       where ${isThere(`from api_nokkel where lower(epost) = lower(w.epost) and ${keyInUse('$1')}`)}
         or not ${isThere(
           `from api_nokkel n where lower(n.epost) = lower(w.epost) and ${isThere(
             `from utboks where gjelder = n.kjede and slag in ('lever', 'erstatt') and ferdig_at is null`,
           )}`,
         )}
       order by grunn = 'lekket' desc, id for update skip locked limit 1
     ), samme as (
       select w.id from erstatningsonske w join eldste e on lower(w.epost) = lower(e.epost) and w.grunn = e.grunn
       for update of w skip locked
     ), tatt as (delete from erstatningsonske where id in (select id from samme))
     select epost, grunn from eldste`,
    [at],
  )
  return row ?? null
}

/** Looked up for each row: of `exists` PostgreSQL makes one list of all keys there are, each time (100,000: 200 ms). */
function isThere(what: string): string {
  return `((select 1 ${what} limit 1) is not null)`
}

/**
 * The links by which each of these chains can be replaced, for this reason, since then: mailed or about to be, and not ended by
 * a replacement. The mailbox has them, or will.
 */
export async function openLinks(
  db: Queryable,
  { kjeder, grunn }: { kjeder: readonly string[]; grunn: LostReason },
  since: Date,
): Promise<Map<string, { count: number; newest: Date }>> {
  const rows = await db.query<{ kjede: string; antall: string; nyeste: Date }>(
    `select u.gjelder as kjede, count(*) as antall, max(u.laget_at) as nyeste from utboks u
     where u.slag = 'lenke' and u.gjelder = any($1) and u.grunn = $2 and u.laget_at > $3
       and (u.ferdig_at is null or u.utfall = 'sendt')
       and u.id > coalesce((select max(e.id) from utboks e where e.slag = 'erstatt' and e.gjelder = u.gjelder), 0)
     group by u.gjelder`,
    [kjeder, grunn, since],
  )
  return new Map(rows.map(({ kjede, antall, nyeste }) => [kjede, { count: Number(antall), newest: nyeste }]))
}

/** How many replacements of a chain there have been since then. */
export async function countReplacements(db: Queryable, kjede: string, since: Date): Promise<number> {
  const [row] = await db.query<{ antall: string }>(
    `select count(*) as antall from utboks where slag = 'erstatt' and gjelder = $1 and laget_at > $2`,
    [kjede, since],
  )
  return Number(row?.antall ?? 0)
}

/**
 * The chain is being replaced: what could replace it once more is over, in the mailbox and on its way there, a link as well as a key
 * that was asked for before and could not be mailed yet: it would come after the one that is asked for now, and is not the one. Links
 * that were used are left, so that a button pressed twice says the same. For whoever holds the chain.
 */
export async function endEarlierReplacements(connection: Queryable, kjede: string, at: Date): Promise<void> {
  await connection.query(
    `update nokkellenke set gyldig_til = $2
     where slag = 'erstatt' and brukt_at is null and gyldig_til > $2
       and nokkel in (select id from api_nokkel where kjede = $1)`,
    [kjede, at],
  )
  await connection.query(
    `update utboks set ferdig_at = $2, utfall = 'erstattet'
     where slag in ('lenke', 'erstatt') and gjelder = $1 and ferdig_at is null`,
    [kjede, at],
  )
}

export async function insertKeyLink(
  db: Queryable,
  link: { hash: Buffer; slag: KeyLink['slag']; nokkel: string; grunn: LostReason | null; validUntil: Date },
): Promise<void> {
  await db.query(
    'insert into nokkellenke (hash, slag, nokkel, grunn, gyldig_til) values ($1, $2, $3, $4, $5)',
    [link.hash, link.slag, link.nokkel, link.grunn, link.validUntil],
  )
}

/** A link that is still valid; nothing is held. */
export function findKeyLink(
  db: Queryable,
  hash: Buffer,
  slag: KeyLink['slag'],
  at: Date,
): Promise<KeyLink | null> {
  return readKeyLink(db, [hash, slag, at], '')
}

/** A link that is still valid; held until the transaction ends. */
export function holdKeyLink(
  connection: Queryable,
  hash: Buffer,
  slag: KeyLink['slag'],
  at: Date,
): Promise<KeyLink | null> {
  return readKeyLink(connection, [hash, slag, at], 'for update')
}

async function readKeyLink(
  db: Queryable,
  parameters: readonly [hash: Buffer, slag: KeyLink['slag'], at: Date],
  lock: '' | 'for update',
): Promise<KeyLink | null> {
  const [row] = await db.query<KeyLink>(
    `select slag, nokkel, grunn, brukt_at as brukt from nokkellenke
     where hash = $1 and slag = $2 and gyldig_til > $3 ${lock}`,
    [...parameters],
  )
  return row ?? null
}

export async function markLinkUsed(connection: Queryable, hash: Buffer, at: Date): Promise<void> {
  await connection.query('update nokkellenke set brukt_at = $2 where hash = $1 and brukt_at is null', [
    hash,
    at,
  ])
}
