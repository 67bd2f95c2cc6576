/** Why a row is refused. Every row of a file is either taken, refused with one of these, or a removed company's. */
export const REFUSALS = {
  for_faa_felt: 'raden har færre felt enn overskriften',
  flertydig_semikolon: 'raden har flere felt enn overskriften, og det er ikke adressen som er delt',
  ugyldig_orgnr: 'selskapets organisasjonsnummer er ikke ni siffer',
  elleve_siffer: 'raden inneholder elleve siffer som kan være et fødselsnummer',
  ugyldig_antall: 'antall aksjer er ikke et helt tall',
  ugyldig_totalt: 'antall aksjer i selskapet er ikke et helt tall',
  for_stort_antall: 'antall aksjer er større enn det kan regnes med',
  ugyldige_tegn: 'raden inneholder tegn som ikke er tekst',
  for_lang_rad: 'raden er for lang',
  for_mange_rader: 'selskapet har flere rader enn det leses for ett selskap',
} as const

export type FileRefusal = keyof typeof REFUSALS
