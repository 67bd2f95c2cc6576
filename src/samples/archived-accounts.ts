import { asOf } from './as-of.ts'
import { SAMPLE } from './numbers.ts'
import { aar, figures, regnskapJson } from './shapes/regnskap.ts'

const filing = {
  orgnr: SAMPLE.healthy,
  form: 'AS',
  regnskapstype: 'SELSKAP',
  morselskap: true,
  oppstillingsplan: 'oevrige',
} as const

/** The healthy company's three years before those the register still gives, one of them with a loss. */
const written = [
  regnskapJson(
    { ...filing, id: 3122871, journalnr: '2021330412', periode: aar(2020) },
    figures({
      driftsinntekter: 238_104_000,
      driftskostnad: 232_084_000,
      finansinntekter: 440_000,
      finanskostnader: 3_610_000,
      skatt: 627_000,
      anleggsmidler: 118_300_000,
      omloepsmidler: 51_870_000,
      bankinnskudd: 6_204_000,
      innskuttEgenkapital: 2_400_000,
      opptjentEgenkapital: 52_946_000,
      langsiktigGjeld: 82_000_000,
    }),
  ),
  regnskapJson(
    { ...filing, id: 3790154, journalnr: '2022371950', periode: aar(2021) },
    figures({
      driftsinntekter: 255_870_000,
      driftskostnad: 244_530_000,
      finansinntekter: 472_000,
      finanskostnader: 3_402_000,
      skatt: 1_850_000,
      anleggsmidler: 119_066_000,
      omloepsmidler: 56_125_000,
      bankinnskudd: 8_815_000,
      innskuttEgenkapital: 2_400_000,
      opptjentEgenkapital: 59_506_000,
      langsiktigGjeld: 80_000_000,
    }),
  ),
  regnskapJson(
    { ...filing, id: 4410093, journalnr: '2023440281', periode: aar(2022) },
    figures({
      driftsinntekter: 279_615_000,
      driftskostnad: 282_545_000,
      finansinntekter: 565_000,
      finanskostnader: 3_755_000,
      skatt: -1_346_000,
      anleggsmidler: 122_740_000,
      omloepsmidler: 54_410_000,
      bankinnskudd: 4_120_000,
      innskuttEgenkapital: 2_400_000,
      opptjentEgenkapital: 54_732_000,
      langsiktigGjeld: 79_500_000,
    }),
  ),
]

/** As the file an operator imports: each line one filing in the register's own shape. */
export function archivedAccounts(now: Date): string {
  return written.map((each) => `${JSON.stringify(asOf(each, now))}\n`).join('')
}
