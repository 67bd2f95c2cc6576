import type { Database, Queryable } from './database.ts'

export type TestKeyWish = { id: string; epost: string; spurt: Date }

/**
 * Writes down that an address asked for a test key. One at a time, so that the bounds hold however many ask at once.
 *
 * @param most.perAddress of one address; more of them is said to nobody, and nothing is written
 * @param most.perNetwork of one network, to whomever
 * @returns `for_mange` when the network has asked for as many as it may, or as many wait, or were asked for, as may by all
 */
export async function askForTestKey(
  db: Pick<Database, 'transaction'>,
  { epost, avtrykk, nettverk }: { epost: string; avtrykk: Buffer; nettverk: Buffer },
  at: Date,
  most: { perAddress: number; perNetwork: number; waiting: number; inAll: number },
): Promise<'skrevet' | 'for_mange'> {
  return db.transaction(
    async (connection) => {
      await connection.query('select pg_advisory_xact_lock($1)', [WISH_LOCK])
      const [all] = await connection.query<Record<'venter' | 'alle' | 'avNettverk', string>>(
        `select count(epost) as venter, count(*) as alle, count(*) filter (where nettverk = $1) as "avNettverk"
       from testnokkelonske`,
        [nettverk],
      )
      const isFull = Number(all?.venter) >= most.waiting || Number(all?.alle) >= most.inAll
      if (isFull || Number(all?.avNettverk) >= most.perNetwork) return 'for_mange'
      await connection.query(
        `insert into testnokkelonske (avtrykk, nettverk, nr, epost, spurt_at, neste_at)
       select $1, $5, coalesce(max(nr), 0) + 1, $2, $3, $3 from testnokkelonske where avtrykk = $1 having count(*) < $4
       on conflict (avtrykk, nr) do nothing`,
        [avtrykk, epost, at, most.perAddress, nettverk],
      )
      return 'skrevet'
    },
    { alone: 'testnokkelonske' },
  )
}

/** Advisory locks that are ours: 720251 is of chains. */
const WISH_LOCK = 720_259

/**
 * Takes one of the network of whose wishes that still wait the fewest were tried, or are: the newest that was not tried yet, and when
 * all were, the one that has waited longest. They are mailed one after the other, and whoever asks waits for none of those whose mail
 * server hangs, however often new ones of them come, and however many others at the same address have asked. It is nobody else's from
 * then on.
 */
export async function takeTestKeyWish(db: Queryable, at: Date): Promise<TestKeyWish | null> {
  const [row] = await db.query<{ id: string; epost: string; spurt_at: Date }>(
    `update testnokkelonske set tatt_at = $1 where id = (
       select id from testnokkelonske o where epost is not null and tatt_at is null and neste_at <= $1
       order by (select row(count(*) filter (where n.tatt_at is not null or n.neste_at > n.spurt_at), count(*))
           from testnokkelonske n where n.nettverk = o.nettverk and n.epost is not null), neste_at > spurt_at,
         case when neste_at <= spurt_at then spurt_at end desc, neste_at, id
       for update skip locked limit 1)
     returning id, epost, spurt_at`,
    [at],
  )
  return row === undefined ? null : { id: row.id, epost: row.epost, spurt: row.spurt_at }
}

/** The address has been used, and is not kept. */
export async function endTestKeyWish(db: Queryable, id: string): Promise<void> {
  await db.query('update testnokkelonske set epost = null where id = $1', [id])
}

/** It was refused, and no mail has gone: again then. */
export async function postponeTestKeyWish(db: Queryable, id: string, until: Date): Promise<void> {
  await db.query('update testnokkelonske set tatt_at = null, neste_at = $2 where id = $1', [id, until])
}

/** Addresses since `addresses`, which nobody came to mail to or came back from, and counts since `counts`. */
export async function dropOldTestKeyWishes(
  db: Queryable,
  before: { addresses: Date; counts: Date },
): Promise<void> {
  await db.query('update testnokkelonske set epost = null where epost is not null and spurt_at <= $1', [
    before.addresses,
  ])
  await db.query('delete from testnokkelonske where spurt_at <= $1', [before.counts])
}
