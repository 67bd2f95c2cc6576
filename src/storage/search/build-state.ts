import type { Queryable } from '../database.ts'

/** The index that is read. */
type LiveIndex = {
  builtAt: Date
  /** When its files were asked for: it holds what the register knew then, and every change since. */
  filesAt: Date
  etags: { enheter: string | null; underenheter: string | null }
  units: number
  subUnits: number
  names: number
  seconds: number
}

const buildPhases = ['underenheter', 'enheter', 'ordner', 'bytter'] as const
type BuildPhase = (typeof buildPhases)[number]

/** The index that is being built, or was when its process ended. */
export type Build = {
  edition: number
  phase: BuildPhase
  /** Units of this phase that are in its tables. */
  read: number
  unreadable: number
  filesAt: Date
  etags: { enheter: string | null; underenheter: string | null }
  subUnits: number | null
  startedAt: Date
  movedAt: Date
}

export type SearchIndexState = {
  live: LiveIndex | null
  build: Build | null
  failure: { text: string; at: Date } | null
}

type Row = {
  bygget_at: Date | null
  filer_at: Date
  enheter_etag: string | null
  underenheter_etag: string | null
  enheter: number
  underenheter: number
  navn: number
  sekunder: number
  utgave: number
  fase: BuildPhase | null
  lest: number
  uleselige: number
  ny_filer_at: Date
  ny_enheter_etag: string | null
  ny_underenheter_etag: string | null
  ny_underenheter: number | null
  startet_at: Date
  flyttet_at: Date
  feil: string | null
  feil_at: Date
}

export async function readIndexState(db: Queryable): Promise<SearchIndexState> {
  const [row] = await db.query<Row>('select * from sok_bygg')
  if (row === undefined) return { live: null, build: null, failure: null }
  return {
    live:
      row.bygget_at === null
        ? null
        : {
            builtAt: row.bygget_at,
            filesAt: row.filer_at,
            etags: { enheter: row.enheter_etag, underenheter: row.underenheter_etag },
            units: row.enheter,
            subUnits: row.underenheter,
            names: row.navn,
            seconds: row.sekunder,
          },
    build:
      row.fase === null
        ? null
        : {
            edition: row.utgave,
            phase: row.fase,
            read: row.lest,
            unreadable: row.uleselige,
            filesAt: row.ny_filer_at,
            etags: { enheter: row.ny_enheter_etag, underenheter: row.ny_underenheter_etag },
            subUnits: row.ny_underenheter,
            startedAt: row.startet_at,
            movedAt: row.flyttet_at,
          },
    failure: row.feil === null ? null : { text: row.feil, at: row.feil_at },
  }
}

/** Remembers why a build ended early: a code, never a message that may say anything. */
export async function noteBuildFailure(db: Queryable, text: string): Promise<void> {
  await db.query('update sok_bygg set feil = $1, feil_at = now()', [text])
}

/** Whether a build was begun that has not moved for so long, or was told so long ago to have failed: nobody is at it, nor tries it again. */
export async function isBuildLeft(
  db: Queryable,
  { leftAfterMs, failedAfterMs }: { leftAfterMs: number; failedAfterMs: number },
): Promise<boolean> {
  const rows = await db.query(
    `select from sok_bygg where fase is not null and flyttet_at < now() - $1 * interval '1 millisecond'
       and (feil_at is null or feil_at < flyttet_at or feil_at < now() - $2 * interval '1 millisecond')`,
    [leftAfterMs, failedAfterMs],
  )
  return rows.length > 0
}

/** What readers need to know: which index there is, and until when the feeds' changes are in it. */
export async function readLiveIndex(
  db: Queryable,
): Promise<{ builtAt: Date; filesAt: Date; changesUntil: Date | null } | null> {
  const [row] = await db.query<{ bygget_at: Date; filer_at: Date; endringer_til: Date | null }>(
    `select bygget_at, filer_at,
       least((select min(siste_at) from feed_posisjon where feed in ('enheter', 'underenheter')),
             (select min(endret_at) from sok_endring where lest_at is null)) as endringer_til
     from sok_bygg where bygget_at is not null`,
  )
  if (row === undefined) return null
  return { builtAt: row.bygget_at, filesAt: row.filer_at, changesUntil: row.endringer_til }
}
