import { lockChain } from './chain-lock.ts'
import type { Database, Queryable } from './database.ts'
import { keyInUse } from './key-life.ts'
import { recordDeed } from './operator-trail.ts'
import { inStates } from './order-states.ts'
import { letUnpaidGiveWay } from './unpaid-orders.ts'

/** All that is kept about whoever has this address, by name; without what could be used for them (`SECRET`). */
export type CustomerData = Record<keyof typeof KEPT, Row[]>
type Row = Record<string, unknown>

/**
 * Whole rows, as JSON: a column that comes later is told without being named here.
 */
export async function readCustomerData(db: Queryable, epost: string): Promise<CustomerData> {
  const kjeder = await chainsOf(db, epost)
  const told: [string, Row[]][] = []
  for (const [name, { of, where }] of Object.entries(KEPT)) {
    const rows = await db.query<{ rad: Row }>(
      `select to_jsonb(t) - '{${SECRET.join(',')}}'::text[] as rad from ${of} t, (select $1::text as epost, $2::text[] as kjeder) k
       where ${where} order by 1`,
      [epost, kjeder],
    )
    told.push([name, rows.map(({ rad }) => rad)])
  }
  return Object.fromEntries(told) as CustomerData
}

/** Hashes of what proves who somebody is, and what deliveries are signed with. */
const SECRET = ['hash', 'token_hash', 'salt', 'forrige_salt']

/** The chains of theirs, and those of keys their holder has made beside them. */
const OWNER = 'select unnest(k.kjeder) union select kjede from api_nokkel where tilhorer = any(k.kjeder)'
const KEY = 'select id from api_nokkel where kjede = any(k.kjeder)'
const ANY_KEY = `${KEY} or tilhorer = any(k.kjeder)`

const KEPT = {
  nokler: { of: 'api_nokkel', where: 'lower(t.epost) = lower(k.epost) or t.tilhorer = any(k.kjeder)' },
  ordrer: { of: 'ordre', where: 't.id = any(k.kjeder)' },
  betalingshendelser: { of: 'betalingshendelse', where: 't.ordre = any(k.kjeder)' },
  bilag: { of: 'bilag', where: 't.ordre = any(k.kjeder)' },
  kreditnotaer: { of: 'kreditnota', where: 't.ordre = any(k.kjeder)' },
  arend: { of: 'utboks', where: 't.gjelder = any(k.kjeder)' },
  lenker: { of: 'nokkellenke', where: `t.nokkel in (${KEY})` },
  onsker: { of: 'erstatningsonske', where: 'lower(t.epost) = lower(k.epost)' },
  testnokkelonsker: { of: 'testnokkelonske', where: 'lower(t.epost) = lower(k.epost)' },
  bestillinger: { of: 'bestilling', where: `t.nokkel in (${ANY_KEY})` },
  bestillingslinjer: {
    of: 'bestilling_del',
    where: `t.bestilling in (select id from bestilling where nokkel in (${ANY_KEY}))`,
  },
  endepunkter: { of: 'endepunkt', where: 't.eier = any(k.kjeder)' },
  leveringer: {
    of: 'levering',
    where: 't.endepunkt in (select id from endepunkt where eier = any(k.kjeder))',
  },
  overvakinger: { of: 'overvaking', where: `t.eier in (${OWNER})` },
  overvakingsendringer: { of: 'overvaking_endret', where: `t.eier in (${OWNER})` },
  varsler: { of: 'varsel', where: `t.eier in (${OWNER})` },
  varsellinjer: { of: 'varsel_linje', where: `t.eier in (${OWNER})` },
  endepunktbruk: { of: 'endepunktbruk', where: 't.eier = any(k.kjeder)' },
  okter: { of: 'nokkel_okt', where: `t.nokkel in (${ANY_KEY})` },
} as const

export type Erased = {
  kjeder: string[]
  /** Rows that had the address itself: also of an order whose first address refused the mail, which is another's. */
  rader: number
  /** Nobody had paid for these: they are let go, and the address with them when Vipps has said that they came to nothing. */
  ubetalte: string[]
  /** Keys that work on until their end, and orders whose line in the books stays. */
  gyldigeNokler: number
  bilag: number
}

/**
 * Takes an address out of all that is kept, with what its holder called their keys. Keys go on as they are; without an address
 * they are neither reminded of nor replaced. Orders and lines of the books stay, and say nothing of who it was (bokføringsloven § 13). The chains stand in the
 * trail in the same transaction, the address does not.
 *
 * @returns null, and nothing is erased, while a paid order is on its way to the address
 */
export async function eraseCustomerData(
  db: Pick<Database, 'transaction'>,
  epost: string,
  { hvem, hvorfor, at }: { hvem: string; hvorfor: string; at: Date },
): Promise<Erased | null> {
  return db.transaction(async (connection) => {
    const kjeder = await chainsOf(connection, epost)
    // Every order before any chain, as whoever changes them does.
    const ubetalte = await letUnpaidGiveWay(connection, epost, at)
    const orders = await connection.query<{ underveis: boolean }>(
      `select ${inStates(({ isEnd, money }) => !isEnd && money === 'held')} as underveis from ordre
       where lower(epost) = lower($1) order by id for update`,
      [epost],
    )
    if (orders.some(({ underveis }) => underveis)) return null
    let rader = 0
    const remove = async (text: string) => {
      rader += (await connection.query(`${text} returning 1`, [epost])).length
    }
    // Wishes before any chain, as whoever looks into them does.
    await remove('delete from erstatningsonske where lower(epost) = lower($1)')
    await remove('delete from testnokkelonske where lower(epost) = lower($1)')
    for (const kjede of [...kjeder].sort()) await lockChain(connection, kjede)
    const [left] = await connection.query<{ gyldige: string; bilag: string }>(
      `select (select count(*) from api_nokkel where (kjede = any($1) or tilhorer = any($1)) and ${keyInUse('$2')}) as gyldige,
         (select count(*) from bilag where ordre = any($1)) as bilag`,
      [kjeder, at],
    )
    await connection.query(
      'delete from nokkellenke where nokkel in (select id from api_nokkel where kjede = any($1))',
      [kjeder],
    )
    await connection.query(
      `update utboks set ferdig_at = $2, utfall = 'slettet'
       where gjelder = any($1) and ferdig_at is null and slag in ('lenke', 'erstatt', 'paaminn', 'kvittering', 'kreditnota', 'avslatt')`,
      [kjeder, at],
    )
    await connection.query(
      'delete from bestilling where nokkel in (select id from api_nokkel where kjede = any($1) or tilhorer = any($1))',
      [kjeder],
    )
    for (const table of ['endepunkt', 'endepunktbruk'])
      await connection.query(`delete from ${table} where eier = any($1)`, [kjeder])
    // A mail before its lines, as whoever sends it does.
    for (const table of ['overvaking', 'overvaking_endret', 'varsel', 'varsel_linje'])
      await connection.query(`delete from ${table} where eier in (${OWNERS})`, [kjeder])
    await connection.query('update api_nokkel set navn = null where tilhorer = any($1)', [kjeder])
    await remove('update api_nokkel set epost = null where lower(epost) = lower($1)')
    await remove(`update ordre set epost = null where lower(epost) = lower($1) and tilstand <> 'opprettet'`)
    for (const gjelder of kjeder)
      await recordDeed(connection, { at, hvem, handling: 'kunde.slett', gjelder, hvorfor, utfall: 'slettet' })
    return { kjeder, rader, ubetalte, gyldigeNokler: Number(left?.gyldige), bilag: Number(left?.bilag) }
  })
}

/** The chains in `$1`, and those of keys their holder has made beside them. */
const OWNERS = 'select unnest($1::text[]) union select kjede from api_nokkel where tilhorer = any($1)'

/**
 * Of its keys, and of its orders, whose keys are a chain by the order's name; and the chains that these have renewed, whose own
 * address may be gone: what a holder watches and is sent belongs to the first of them (`ownerOfKey`).
 *
 * An address that was typed first and took no key is not the buyer's: of the order it has its own key's line and nothing else.
 */
async function chainsOf(db: Queryable, epost: string): Promise<string[]> {
  const rows = await db.query<{ kjede: string }>(
    `with recursive rekke (kjede) as (
       (select kjede from api_nokkel n where lower(epost) = lower($1)
          and (tilstand <> 'ventende' or not exists (select 1 from ordre o where o.id = n.kjede))
        union select id from ordre where lower(epost) = lower($1))
       union
       select o.fornyer from rekke r join ordre o on o.id = r.kjede where o.fornyer is not null
     )
     select kjede from rekke order by 1`,
    [epost],
  )
  return rows.map(({ kjede }) => kjede)
}
