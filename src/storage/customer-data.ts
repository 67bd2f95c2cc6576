import { lockChain } from './chain-lock.ts'
import type { Database, Queryable } from './database.ts'
import { keyInUse } from './key-life.ts'
import { recordDeed } from './operator-trail.ts'
import { inStates } from './order-states.ts'
import { letUnpaidGiveWay } from './unpaid-orders.ts'

/** All that is kept about whoever has this address. What can not be read back, the hashes of keys and links, is left out. */
export type CustomerData = {
  nokler: Row[]
  ordrer: Row[]
  bilag: Row[]
  kreditnotaer: Row[]
  arend: Row[]
  lenker: Row[]
  onsker: Row[]
  bestillinger: Row[]
  endepunkter: Row[]
  leveringer: Row[]
  overvakinger: Row[]
  overvakingsendringer: Row[]
  varsler: Row[]
  varsellinjer: Row[]
  endepunktbruk: Row[]
  okter: Row[]
}
type Row = Record<string, unknown>

export async function readCustomerData(db: Queryable, epost: string): Promise<CustomerData> {
  const kjeder = await chainsOf(db, epost)
  const rows = (text: string, value: unknown) => db.query<Row>(text, [value])
  return {
    nokler: await db.query<Row>(
      `select id, kjede, tilhorer, navn, miljo, epost, tilstand, utstedt_at, utloper_at, tilbakekalt_at, slutter_at,
         sist_brukt::text as sist_brukt
       from api_nokkel where lower(epost) = lower($1) or tilhorer = any($2) order by utstedt_at, id`,
      [epost, kjeder],
    ),
    ordrer: await rows(
      `select id, epost, tilstand, produkt, belop_ore, valuta, salg, fornyer, vilkaar_godtatt_at, laget_at, endret_at, referanse,
         psp_referanse, reservert_at, trukket_at, nettverk, grunn
       from ordre where id = any($1) order by laget_at, id`,
      kjeder,
    ),
    bilag: await rows('select * from bilag where ordre = any($1) order by nummer', kjeder),
    kreditnotaer: await rows('select * from kreditnota where ordre = any($1) order by nummer', kjeder),
    arend: await rows(
      'select slag, gjelder, grunn, laget_at, ferdig_at, utfall, forsok from utboks where gjelder = any($1) order by id',
      kjeder,
    ),
    lenker: await rows(
      `select l.slag, l.nokkel, l.grunn, l.gyldig_til, l.brukt_at from nokkellenke l
       join api_nokkel n on n.id = l.nokkel where n.kjede = any($1) order by l.gyldig_til`,
      kjeder,
    ),
    onsker: [
      ...(await rows(
        'select epost, grunn, spurt_at from erstatningsonske where lower(epost) = lower($1) order by id',
        epost,
      )),
      ...(await rows(
        'select epost, spurt_at from testnokkelonske where lower(epost) = lower($1) order by id',
        epost,
      )),
    ],
    overvakinger: await rows(
      `select eier, orgnr, navn, typer, epost, opprettet_at from overvaking where eier in (${OWNERS}) order by eier, orgnr`,
      kjeder,
    ),
    overvakingsendringer: await rows(
      `select eier, orgnr, hva, endret_at from overvaking_endret where eier in (${OWNERS}) order by eier, endret_at, orgnr`,
      kjeder,
    ),
    varsler: await rows(
      `select eier, slag, neste_at, forsok, avvist, dag::text as dag, antall from varsel where eier in (${OWNERS}) order by eier, slag`,
      kjeder,
    ),
    varsellinjer: await rows(
      `select eier, slag, nr from varsel_linje where eier in (${OWNERS}) order by eier, slag, nr`,
      kjeder,
    ),
    okter: await rows(
      `select o.nokkel, o.begynt_at, o.utloper_at from nokkel_okt o join api_nokkel n on n.id = o.nokkel
       where n.kjede = any($1) or n.tilhorer = any($1) order by o.begynt_at, o.nokkel`,
      kjeder,
    ),
    bestillinger: await rows(
      `select b.id, b.nokkel, b.felt, b.linjer, b.gjort, b.mottatt_at, b.ferdig_at, b.slettes_at from bestilling b
       join api_nokkel n on n.id = b.nokkel where n.kjede = any($1) or n.tilhorer = any($1) order by b.mottatt_at`,
      kjeder,
    ),
    endepunkter: await rows(
      `select id, adresse, typer, opprettet_at, av_at, av_grunn, hviler_fra, feilet_fra, levert_at
       from endepunkt where eier = any($1) order by opprettet_at, id`,
      kjeder,
    ),
    endepunktbruk: await rows(
      'select eier, fra, prover, igjen from endepunktbruk where eier = any($1) order by eier',
      kjeder,
    ),
    leveringer: await rows(
      `select l.id, l.endepunkt, l.endring, l.orgnr, l.type, l.tilstand, l.laget_at, l.ferdig_at, l.forsok, l.logg
       from levering l join endepunkt p on p.id = l.endepunkt where p.eier = any($1) order by l.id`,
      kjeder,
    ),
  }
}

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
    const underWay = await connection.query(
      `select 1 from ordre where lower(epost) = lower($1) and ${inStates(({ isEnd, money }) => !isEnd && money === 'held')}
       for update`,
      [epost],
    )
    if (underWay.length > 0) return null
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
    for (const table of ['overvaking', 'overvaking_endret', 'varsel_linje', 'varsel'])
      await connection.query(`delete from ${table} where eier in (${OWNERS})`, [kjeder])
    await connection.query('update api_nokkel set navn = null where tilhorer = any($1)', [kjeder])
    let rader = 0
    for (const text of [
      'delete from erstatningsonske where lower(epost) = lower($1)',
      'delete from testnokkelonske where lower(epost) = lower($1)',
      'update api_nokkel set epost = null where lower(epost) = lower($1)',
      `update ordre set epost = null where lower(epost) = lower($1) and tilstand <> 'opprettet'`,
    ])
      rader += (await connection.query(`${text} returning 1`, [epost])).length
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
