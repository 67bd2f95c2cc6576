import type { Queryable } from './database.ts'

/**
 * Takes out what may no longer be kept as of these times. Each statement names what it leaves, so running it twice, or in
 * two places, leaves the same. An order somebody is changing is left for the next time: what it is then decides. So is, once `signal`
 * has aborted, all that is left.
 *
 * - hashes of keys that ended before `hashes`, with what they were proved by: afterwards the key is unknown, and its id is all there is of it
 * - addresses on keys that ended before `addresses`, with what their holders called them and their orders, and on orders nobody
 *   paid since `unpaid`, with those of keys that were made for them and never arrived
 * - messages of Vipps before `events`, links that are no longer valid, and errands that are long done
 * - orders nobody paid, and no message of Vipps or key belongs to, since `unpaid`: strangers can make some hundred thousand a day
 * - lines of the books, with their orders, before `books`
 *
 * @returns how many of each
 */
export async function removeWhatIsOver(
  db: Queryable,
  before: { hashes: Date; addresses: Date; unpaid: Date; events: Date; books: Date; now: Date },
  signal?: AbortSignal,
): Promise<Record<string, number>> {
  const removed: Record<string, number> = {}
  const isEnding = () => signal?.aborted === true
  async function remove(name: string, text: string, values: readonly unknown[]): Promise<void> {
    let count = 0
    for (let batch = 0; batch < BATCHES_MAX && !isEnding(); batch += 1) {
      const rows = await db.query(text, values)
      count += rows.length
      if (rows.length < BATCH) break
    }
    removed[name] = count
  }
  await remove(
    'hash',
    `with over as (update api_nokkel set hash = null where utloper_at <= $1 and hash is not null returning id),
       bevist as (delete from nokkelbevis using over where nokkel = over.id)
     select id from over`,
    [before.hashes],
  )
  await remove(
    'epost_nokkel',
    `update api_nokkel set epost = null
     where (utloper_at <= $1 or tilstand = 'ventende' and tilbakekalt_at <= $2) and epost is not null returning id`,
    [before.addresses, before.unpaid],
  )
  await remove(
    'navn_nokkel',
    `update api_nokkel set navn = null
     where (utloper_at <= $1 or tilbakekalt_at <= $1) and navn is not null returning id`,
    [before.addresses],
  )
  // Of a paid order the address is that of its keys: it goes when the last of them has lost it.
  await remove(
    'epost_ordre',
    `update ordre set epost = null where id = any (array(
       select o.id from ordre o
       where epost is not null and tilstand <> 'opprettet'
         and not exists (select 1 from api_nokkel n where n.kjede = o.id and n.epost is not null)
         and endret_at <= $1 limit ${BATCH} for update of o skip locked)) returning id`,
    [before.unpaid],
  )
  await remove(
    'ordre_ubetalt',
    `delete from ordre where id = any (array(
       select o.id from ordre o
       where o.tilstand in ('avbrutt', 'utlopt') and o.endret_at <= $1 and o.epost is null
         and o.alarm is null and o.neste_sjekk_at is null
         and not exists (select 1 from api_nokkel n where n.kjede = o.id)
         and not exists (select 1 from utboks u where u.gjelder = o.id and u.ferdig_at is null)
         ${isLeft('o')}
       limit ${BATCH} for update of o skip locked)) returning id`,
    [before.unpaid],
  )
  await remove(
    'hendelse',
    `delete from betalingshendelse where ctid = any (array(
       select ctid from betalingshendelse where mottatt_at <= $1 limit ${BATCH})) returning referanse`,
    [before.events],
  )
  await remove('lenke', 'delete from nokkellenke where gyldig_til <= $1 returning slag', [before.now])
  await remove(
    'arend',
    `delete from utboks u where ferdig_at <= $1
       and not exists (select 1 from api_nokkel n where n.kjede = u.gjelder and n.utloper_at > $1)
       and not exists (select 1 from ordre o where o.id = u.gjelder and o.endret_at > $1) returning id`,
    [before.addresses],
  )
  await remove('kreditnota', 'delete from kreditnota where dato < $1 returning nummer', [before.books])
  await remove('bilag', 'delete from bilag where dato < $1 returning nummer', [before.books])
  if (isEnding()) return removed
  // What a holder watches is of the first chain of all they have renewed (`ownerOfKey`): an order that renewed one which goes now
  // renews what that one did.
  await db.query(
    `with recursive borte as (select id, fornyer from ordre o where ${isOutOfBooks('o')}),
     rekke (id, fornyer) as (
       select o.id, o.fornyer from ordre o where o.fornyer in (select id from borte) and not ${isOutOfBooks('o')}
       union
       select r.id, b.fornyer from rekke r join borte b on b.id = r.fornyer where b.fornyer is not null
     )
     update ordre o set fornyer = r.fornyer from rekke r
     where r.id = o.id and not exists (select 1 from borte b where b.id = r.fornyer and b.fornyer is not null)`,
    [before.books],
  )
  await remove('ordre', `delete from ordre o where ${isOutOfBooks('o')} returning id`, [before.books])
  return removed
}

/**
 * Of what strangers can make many of, a few in one statement: after a flood there are millions, and a statement that takes too long is
 * ended, and does so each time. What is left is taken the next time.
 */
const BATCH = 5000
const BATCHES_MAX = 100

/** Of an order; `$1` is before when. One that was made in the last minutes of a year may stand in the books of the next. */
function isOutOfBooks(order: string): string {
  return `(${order}.laget_at < $1 ${isLeft(order)})`
}

/** Nothing of the books, and no message of Vipps, is of this order. */
function isLeft(order: string): string {
  return ['betalingshendelse', 'bilag', 'kreditnota']
    .map((table) => `and not exists (select 1 from ${table} t where t.ordre = ${order}.id)`)
    .join(' ')
}
