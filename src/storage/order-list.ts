import type { Queryable } from './database.ts'

/** An order as operators see it in a list: whose it is stands nowhere. */
export type ListedOrder = {
  id: string
  tilstand: string
  belopOre: number
  valuta: string
  referanse: string
  /** The number of its receipt; null while there is none. */
  bilag: number | null
  laget: Date
  grunn: string | null
  alarm: string | null
}

/** A mail that was to be sent, and what became of it. To whom is not told. */
export type ListedMail = {
  id: string
  slag: string
  gjelder: string
  laget: Date
  forsok: number
  neste: Date
  ferdig: Date | null
  utfall: string | null
}

/**
 * The newest orders, or those an e-mail address, the number of a receipt, a reference at Vipps, or the id of an order or of
 * one of its keys stands for. Newest first, at most `limit`.
 */
export async function listOrders(
  db: Queryable,
  { wanted, limit }: { wanted: string | null; limit: number },
): Promise<ListedOrder[]> {
  const rows = await db.query<Omit<ListedOrder, 'bilag'> & { bilag: string | null }>(
    `select o.id, o.tilstand, o.belop_ore as "belopOre", o.valuta, o.referanse, b.nummer as bilag,
       o.laget_at as laget, o.grunn, o.alarm
     from ordre o left join bilag b on b.ordre = o.id
     where $1::text is null
        or o.id = $1 or o.referanse = $1 or o.psp_referanse = $1 or b.nummer::text = $1
        or lower(o.epost) = lower($1)
        or o.id in (select coalesce(tilhorer, kjede) from api_nokkel where id = $1 or lower(epost) = lower($1))
     order by o.laget_at desc, o.id limit $2`,
    [wanted, limit],
  )
  return rows.map((row) => ({ ...row, bilag: row.bilag === null ? null : Number(row.bilag) }))
}

/** Mails: those that are not sent yet first, the one that has waited longest at the top, then the newest of the others. */
export async function listMails(db: Queryable, limit: number): Promise<ListedMail[]> {
  return db.query<ListedMail>(
    `select id::text as id, slag, gjelder, laget_at as laget, forsok, neste_at as neste, ferdig_at as ferdig, utfall
     from utboks where slag in ('lever', 'kvittering', 'kreditnota', 'lenke', 'erstatt', 'paaminn')
     order by ferdig_at desc nulls first, laget_at limit $1`,
    [limit],
  )
}
