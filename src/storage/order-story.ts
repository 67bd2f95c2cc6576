import type { Queryable } from './database.ts'
import type { ListedMail, ListedOrder } from './order-list.ts'

/** Everything that stands of one order, and when each thing of it happened. To whom its mails go is not told. */
export type OrderStory = ListedOrder & {
  miljo: string
  produkt: string
  endret: Date
  /** The chain of keys whose next year it is. */
  fornyer: string | null
  pspReferanse: string | null
  /** When the payment is read back next; null when there is no need. */
  nesteSjekk: Date | null
  /** What Vipps last said was taken and given back, in øre; null before, and of what an earlier release took. */
  trukketOre: number | null
  refundertOre: number | null
  garantertTil: Date | null
  adressefrist: Date | null
  nokler: { id: string; tilstand: string; utstedt: Date; utloper: Date }[]
  epost: ListedMail[]
  /** Oldest first. */
  hendelser: { at: Date; hva: OrderEvent; om: string | null }[]
}

export type OrderEvent =
  | 'bestilt'
  | 'reservert'
  | 'trukket'
  | 'vipps'
  | 'bilag'
  | 'refundert'
  | 'kreditnota'
  | 'utstedt'
  | 'tilbakekalt'
  | 'slutter'
  | 'skrevet'
  | 'ferdig'

/** One thing that was to be mailed, with all there is of it. */
export type MailStory = ListedMail & {
  nr: number
  /** How often the other side has refused it for good under its name. */
  omgang: number
  nokkel: string | null
  grunn: string | null
  /** The order it is of; null for a key that was issued without one. */
  ordre: string | null
}

/** Of one order; more is not needed to see what became of it. */
const SHOWN_MAX = 200
const MAILS = `('lever', 'kvittering', 'kreditnota', 'lenke', 'erstatt', 'paaminn')`

/** Null: no such order. */
export async function findOrderStory(db: Queryable, id: string): Promise<OrderStory | null> {
  const [order] = await db.query<Omit<OrderStory, 'nokler' | 'epost' | 'hendelser'>>(
    `select o.id, o.tilstand, o.belop_ore as "belopOre", o.valuta, o.referanse, b.nummer::integer as bilag,
       o.laget_at as laget, o.grunn, o.alarm, o.miljo, o.produkt, o.endret_at as endret, o.fornyer,
       o.psp_referanse as "pspReferanse", o.neste_sjekk_at as "nesteSjekk", o.trukket_ore as "trukketOre", o.refundert_ore as "refundertOre", o.garantert_til as "garantertTil",
       o.adressefrist_at as adressefrist
     from ordre o left join bilag b on b.ordre = o.id where o.id = $1`,
    [id],
  )
  if (order === undefined) return null
  const [nokler, epost, hendelser] = await Promise.all([
    db.query<OrderStory['nokler'][number]>(
      `select id, tilstand, utstedt_at as utstedt, utloper_at as utloper from api_nokkel
       where kjede = $1 or tilhorer = $1 order by tilbakekalt_at is not null, utstedt_at desc, id limit ${SHOWN_MAX}`,
      [id],
    ),
    db.query<OrderStory['epost'][number]>(
      `select ${MAIL_COLUMNS} from utboks
       where gjelder = $1 and slag in ${MAILS} order by utboks.id desc limit ${SHOWN_MAX}`,
      [id],
    ),
    db.query<OrderStory['hendelser'][number]>(
      `select * from (
         select laget_at as at, 'bestilt' as hva, null::text as om from ordre where id = $1
         union all select reservert_at, 'reservert', null from ordre where id = $1
         union all select trukket_at, 'trukket', null from ordre where id = $1
         union all select mottatt_at, 'vipps', navn from betalingshendelse where ordre = $1
         union all select dato, 'bilag', nummer::text from bilag where ordre = $1
         union all select refundert_at, 'refundert', null from ordre where id = $1
         union all select dato, 'kreditnota', nummer::text from kreditnota where ordre = $1
         union all select utstedt_at, 'utstedt', id from api_nokkel where kjede = $1 or tilhorer = $1
         union all select tilbakekalt_at, 'tilbakekalt', id from api_nokkel where kjede = $1 or tilhorer = $1
         union all select slutter_at, 'slutter', id from api_nokkel where kjede = $1
         union all select laget_at, 'skrevet', slag from utboks where gjelder = $1
         union all select ferdig_at, 'ferdig', slag || ': ' || utfall from utboks where gjelder = $1
       ) each where at is not null order by at desc limit ${SHOWN_MAX}`,
      [id],
    ),
  ])
  return { ...order, nokler, epost, hendelser: hendelser.reverse() }
}

/** Null: no such mail, or it is so long ago that it is erased. */
export async function findMail(db: Queryable, id: string): Promise<MailStory | null> {
  const [mail] = await db.query<MailStory>(
    `select ${MAIL_COLUMNS}, nr, omgang, nokkel, grunn,
       (select id from ordre where ordre.id = gjelder) as ordre
     from utboks where id = $1::bigint and slag in ${MAILS}`,
    [id],
  )
  return mail ?? null
}

const MAIL_COLUMNS =
  'id::text as id, slag, gjelder, laget_at as laget, forsok, neste_at as neste, ferdig_at as ferdig, utfall'
