import type { Queryable } from '../database.ts'

/** One delivery of one year's register. */
export type DeliveryStatus = {
  id: number
  /** The holdings are those of 31 December of this year. */
  aar: number
  tilstand: 'lastes' | 'gjeldende' | 'erstattet'
  kilde: string
  /** yyyy-mm-dd, when it was told. */
  uttrekksdato: string | null
  /** Of the file's bytes as text; this and the rest are null while it is being loaded. */
  sha256: string | null
  /** The file's first line. */
  overskrift: string | null
  /** Rows of the file, and how many of them were refused. */
  rader: number | null
  avviste: number | null
  selskaper: number | null
  /** Holders, counted once for each company they hold shares in. */
  eierforhold: number | null
  gjeldendeFra: Date | null
  erstattetAt: Date | null
}

/** All deliveries there have been, newest year first and of a year the newest first, at most `limit`. */
export async function listDeliveries(db: Queryable, limit: number): Promise<DeliveryStatus[]> {
  const rows = await db.query<DeliveryRow>(
    `select ${COLUMNS} from aksjeleveranse order by aar desc, id desc limit $1`,
    [limit],
  )
  return rows.map(statusOf)
}

/** The delivery that is this year's now; null when the year is not imported. */
export async function findCurrentDelivery(db: Queryable, aar: number): Promise<DeliveryStatus | null> {
  const [row] = await db.query<DeliveryRow>(
    `select ${COLUMNS} from aksjeleveranse where tilstand = 'gjeldende' and aar = $1`,
    [aar],
  )
  return row === undefined ? null : statusOf(row)
}

/** Another year whose delivery is this very file; null when there is none. */
export async function findYearOfFile(db: Queryable, sha256: string, except: number): Promise<number | null> {
  const [row] = await db.query<{ aar: number }>(
    `select aar from aksjeleveranse where tilstand = 'gjeldende' and sha256 = $1 and aar <> $2 order by aar limit 1`,
    [sha256, except],
  )
  return row?.aar ?? null
}

const COLUMNS = `id, aar, tilstand, kilde, uttrekksdato::text, sha256, overskrift, rader, avviste, selskaper, eierforhold,
  gjeldende_at, erstattet_at`

type DeliveryRow = {
  id: number
  aar: number
  tilstand: DeliveryStatus['tilstand']
  kilde: string
  uttrekksdato: string | null
  sha256: string | null
  overskrift: string | null
  rader: string | null
  avviste: string | null
  selskaper: number | null
  eierforhold: string | null
  gjeldende_at: Date | null
  erstattet_at: Date | null
}

function statusOf({
  rader,
  avviste,
  eierforhold,
  gjeldende_at,
  erstattet_at,
  ...rest
}: DeliveryRow): DeliveryStatus {
  return {
    ...rest,
    rader: numberOf(rader),
    avviste: numberOf(avviste),
    eierforhold: numberOf(eierforhold),
    gjeldendeFra: gjeldende_at,
    erstattetAt: erstattet_at,
  }
}

function numberOf(text: string | null): number | null {
  return text === null ? null : Number(text)
}
