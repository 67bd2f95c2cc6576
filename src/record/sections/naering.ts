import { type Static, Type } from 'typebox'
import { readable } from '#src/sources/believe.ts'
import { exactly, Kode, oneOf, orNull, Tekst } from '../shape.ts'
import { type AnyUnit, kodeOf } from './foretak.ts'

/** The kinds of mapping, from the code the register serves (SN2025) to the code set promised (SN2007). */
export const Sn2007 = exactly({
  art: oneOf(
    ['samme', 'en_til_en', 'en_av_flere', 'uoppgitt', 'ukjent'],
    [
      'samme: koden er den samme i SN2007. en_til_en: den svarer til én annen kode.',
      'en_av_flere: den er én av kodene i listen; hvilken kan ikke utledes.',
      'uoppgitt: registeret har ingen næring (00.000).',
      'ukjent: koden finnes ikke i SN2025 slik vi har den, eller listen som ville sagt det, mangler.',
    ].join(' '),
  ),
  koder: Type.Array(Kode),
  fullstendig: Type.Boolean({
    description:
      'false: en av SSBs kodelister mangler (se kilder.sn2007.avvik), eller koden finnes ikke; svaret er det tabellen over endringer gir.',
  }),
})
export type Sn2007 = Static<typeof Sn2007>

export const Naering = exactly({
  naeringskoder: orNull(
    Type.Array(
      exactly({
        rangering: Type.Integer({ minimum: 1, maximum: 3 }),
        sn2025: Kode,
        sn2007: Type.Union([Sn2007, Type.Null()], {
          description: 'null: SSBs tabell er ikke hentet; se kilder.sn2007.',
        }),
      }),
      { description: 'De registeret oppgir; null når ingen av dem kunne leses.' },
    ),
  ),
  hjelpeenhetskode: orNull(Kode),
  aktivitet: orNull(Tekst),
  vedtektsfestetFormaal: orNull(Tekst),
})
export type Naering = Static<typeof Naering>

/** What SSB KLASS says about the two code sets, ready to be looked up in. null: never loaded. */
export type IndustryCodes = {
  loadedAt: Date
  isFresh: boolean
  /** The code lists that could not be had: without them less can be told. */
  avvik: string[]
  toSn2007(sn2025: string): Sn2007
  toSn2025(sn2007Prefix: string): string[]
} | null

export function naeringOf(unit: AnyUnit, codes: IndustryCodes): Naering {
  const served = [unit.naeringskode1, unit.naeringskode2, unit.naeringskode3]
  const coded = served.map((each, index) => each && { rangering: index + 1, sn2025: each })
  return {
    naeringskoder:
      readable(coded.filter((each) => each !== undefined))?.map(({ rangering, sn2025 }) => ({
        rangering,
        sn2025: { kode: sn2025.kode, beskrivelse: sn2025.beskrivelse ?? null },
        sn2007: codes?.toSn2007(sn2025.kode) ?? null,
      })) ?? null,
    hjelpeenhetskode: kodeOf(unit.hjelpeenhetskode),
    aktivitet: joined(unit.aktivitet),
    vedtektsfestetFormaal: joined(unit.vedtektsfestetFormaal),
  }
}

/** True when the unit states anything of what it does. */
export function hasNaering(unit: AnyUnit): boolean {
  return [
    unit.naeringskode1,
    unit.naeringskode2,
    unit.naeringskode3,
    unit.hjelpeenhetskode,
    unit.aktivitet,
    unit.vedtektsfestetFormaal,
  ].some((each) => each !== undefined)
}

/** The register wraps these texts hard at about 70 characters, one array item a line. A line that is not to be read is marked. */
function joined(lines: readonly (string | null)[] | null | undefined): string | null {
  if (readable(lines) === null || lines === undefined || lines === null) return null
  return (
    lines
      .map((line) => line?.trim() ?? UNREAD_LINE)
      .join(' ')
      .trim() || null
  )
}

export const UNREAD_LINE = '[…]'
