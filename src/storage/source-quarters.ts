import { type Static, Type } from 'typebox'
import type { Queryable } from './database.ts'
import { nullable, rowReader, Tid } from './read-rows.ts'

/** What a source answered in a quarter of an hour. */
export type SourceQuarter = {
  kilde: string
  kvarter: Date
  svar: number
  feil: number
  forsteSvar: Date | null
  sisteSvar: Date | null
  forsteFeil: Date | null
  sisteFeil: Date | null
}

/** What a source answered on a day in Norway, as in "2026-11-22". */
type SourceDay = { kilde: string; dag: string; svar: number; feil: number }

/** Quarters on end in which at least half of what a source was asked failed. */
const SourceIncident = Type.Object({
  kilde: Type.String(),
  /** The first of them: the incident's own, whatever is added later. */
  kvarter: Tid,
  /** The first call that failed, and the last. */
  fra: Tid,
  til: Tid,
  svar: Type.Integer(),
  feil: Type.Integer(),
  /** When an answer had been heard again; null when none has. */
  svarteIgjen: nullable(Tid),
})

/** From when on a source was asked, and the last word of it. */
const SourceTimes = Type.Object({
  kilde: Type.String(),
  maaltFra: Tid,
  sisteSvar: nullable(Tid),
  sisteFeil: nullable(Tid),
})

export type SourceHistory = {
  dager: SourceDay[]
  /** Newest first. */
  hendelser: Static<typeof SourceIncident>[]
  kilder: Static<typeof SourceTimes>[]
}

const readIncidents = rowReader('kildekvarter', SourceIncident)
const readTimes = rowReader('kildekvarter', SourceTimes)

/** What is kept and shown: this day and the eighty-nine before it, in Norway. */
export const HISTORY_DAYS = 90
const OLDEST = `((date_trunc('day', now() at time zone 'Europe/Oslo') - interval '${HISTORY_DAYS - 1} days') at time zone 'Europe/Oslo')`
/** One failure is no incident, and a source that answers most is not away. */
const INCIDENT_FAILURES_MIN = 3
const INCIDENTS_MAX = 100

/**
 * Adds what one process counted to what the others did, all of it or nothing, and takes out what is older than ninety days. A
 * quarter that is not of this time, by a clock that is wrong, is not believed.
 */
export async function addSourceQuarters(db: Queryable, counted: readonly SourceQuarter[]): Promise<void> {
  if (counted.length > 0)
    await db.query(
      `insert into kildekvarter as k
         (kilde, kvarter, svar, feil, forste_svar_at, siste_svar_at, forste_feil_at, siste_feil_at)
       select * from jsonb_to_recordset($1::jsonb) as r (kilde text, kvarter timestamptz, svar integer, feil integer,
         "forsteSvar" timestamptz, "sisteSvar" timestamptz, "forsteFeil" timestamptz, "sisteFeil" timestamptz)
       where kvarter between ${OLDEST} and now() + interval '15 minutes'
       order by kilde, kvarter
       on conflict (kilde, kvarter) do update set
         svar = k.svar + excluded.svar,
         feil = k.feil + excluded.feil,
         forste_svar_at = least(k.forste_svar_at, excluded.forste_svar_at),
         siste_svar_at = greatest(k.siste_svar_at, excluded.siste_svar_at),
         forste_feil_at = least(k.forste_feil_at, excluded.forste_feil_at),
         siste_feil_at = greatest(k.siste_feil_at, excluded.siste_feil_at)`,
      [JSON.stringify(counted)],
    )
  await db.query(`delete from kildekvarter where kvarter < ${OLDEST}`)
}

/** How the sources have answered for ninety days. A day of a source on which nobody asked it is not among the days. */
export async function readSourceHistory(db: Queryable): Promise<SourceHistory> {
  const [dager, hendelser, kilder] = await Promise.all([
    db.query<SourceDay>(
      `select kilde, to_char(kvarter at time zone 'Europe/Oslo', 'YYYY-MM-DD') as dag,
              sum(svar)::integer as svar, sum(feil)::integer as feil
       from kildekvarter where kvarter >= ${OLDEST} group by 1, 2 order by 1, 2`,
    ),
    // Quarters that failed belong together when the next that went well is the same.
    db.query(
      `select d.kilde, min(d.kvarter) as kvarter, min(d.forste_feil_at) as fra, max(d.siste_feil_at) as til,
              sum(d.svar)::integer as svar, sum(d.feil)::integer as feil,
              case when max(d.siste_svar_at) > max(d.siste_feil_at) then max(d.siste_svar_at) else n.at end as "svarteIgjen"
       from kildekvarter d
       left join lateral (
         select forste_svar_at as at from kildekvarter g
         where g.kilde = d.kilde and g.kvarter > d.kvarter and g.svar > g.feil order by g.kvarter limit 1
       ) n on true
       where d.kvarter >= ${OLDEST} and d.feil > 0 and d.feil >= d.svar
       group by d.kilde, n.at having sum(d.feil) >= ${INCIDENT_FAILURES_MIN}
       order by fra desc, d.kilde limit ${INCIDENTS_MAX}`,
    ),
    db.query(
      `select kilde, min(least(forste_svar_at, forste_feil_at)) as "maaltFra",
              max(siste_svar_at) as "sisteSvar", max(siste_feil_at) as "sisteFeil"
       from kildekvarter where kvarter >= ${OLDEST} group by 1 order by 1`,
    ),
  ])
  return { dager, hendelser: readIncidents(hendelser), kilder: readTimes(kilder) }
}
