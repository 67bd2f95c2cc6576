import { type Static, Type } from 'typebox'
import type { Enhet, Underenhet } from '#src/sources/enhetsregisteret/schema.ts'
import { exactly, Kode, oneOf, orNull, Tekst } from '../shape.ts'
import { kode } from './foretak.ts'

/** The kinds of mapping, from the code the register serves (SN2025) to the code set promised (SN2007). */
export const Sn2007 = exactly({
  art: oneOf(
    ['samme', 'en_til_en', 'en_av_flere', 'uoppgitt', 'ukjent'],
    [
      'samme: koden er den samme i SN2007. en_til_en: den svarer til én annen kode.',
      'en_av_flere: den er én av kodene i listen; hvilken kan ikke utledes.',
      'uoppgitt: registeret har ingen næring (00.000). ukjent: koden finnes ikke i SN2025 slik vi har den.',
    ].join(' '),
  ),
  koder: Type.Array(Kode),
  fullstendig: Type.Boolean({
    description:
      'false: listen er det SSB oppgir som endret; koden selv kan også gjelde, men SN2007s egen liste mangler.',
  }),
})
export type Sn2007 = Static<typeof Sn2007>

export const Naering = exactly({
  naeringskoder: Type.Array(
    exactly({
      rangering: Type.Integer({ minimum: 1, maximum: 3 }),
      sn2025: Kode,
      sn2007: Type.Union([Sn2007, Type.Null()], {
        description: 'null: SSBs tabell er ikke hentet; se kilder.sn2007.',
      }),
    }),
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
  toSn2007(sn2025: string): Sn2007
} | null

export function naering(unit: Enhet | Underenhet, codes: IndustryCodes): Naering {
  const served = [unit.naeringskode1, unit.naeringskode2, unit.naeringskode3]
  return {
    naeringskoder: served.flatMap((each, index) =>
      each === undefined
        ? []
        : [
            {
              rangering: index + 1,
              sn2025: { kode: each.kode, beskrivelse: each.beskrivelse ?? null },
              sn2007: codes?.toSn2007(each.kode) ?? null,
            },
          ],
    ),
    hjelpeenhetskode: kode(unit.hjelpeenhetskode),
    aktivitet: unit.respons_klasse === 'Enhet' ? joined(unit.aktivitet) : null,
    vedtektsfestetFormaal: unit.respons_klasse === 'Enhet' ? joined(unit.vedtektsfestetFormaal) : null,
  }
}

/** The register wraps these texts hard at about 70 characters, one array item a line. */
function joined(lines: string[] | undefined): string | null {
  return lines === undefined || lines.length === 0
    ? null
    : lines
        .map((line) => line.trim())
        .join(' ')
        .trim()
}
