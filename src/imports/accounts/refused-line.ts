import { OppslagError } from '#src/core/errors.ts'
import { maskIdentityNumbers } from '#src/sources/aksjonaerregisteret/identity-number.ts'

/** Why a line was not taken. The words stand in the reject report, which never repeats what the line said. */
export const lineRefusals = {
  for_lang: 'Linjen er for lang.',
  ikke_utf8: 'Linjen er ikke UTF-8.',
  ikke_json: 'Linjen er ikke hel JSON.',
  feil_form: 'Linjen har ikke registerets form.',
  feil_antall_felt: 'Linjen har et annet antall felt enn overskriften.',
  identitetsnummer: 'Linjen har det som kan være et fødselsnummer.',
  ugyldig_organisasjonsnummer: 'Organisasjonsnummeret er ikke gyldig.',
  ugyldig_regnskapstype: 'Regnskapstypen er ikke SELSKAP eller KONSERN.',
  ugyldig_periode: 'Perioden er ikke to datoer ÅÅÅÅ-MM-DD i rekkefølge.',
  ugyldig_valuta: 'Valutaen er ikke tre store bokstaver.',
  ugyldig_felt: 'Feltet har en verdi det ikke skal ha.',
  ugyldig_tall: 'Feltet er ikke et tall.',
  ingen_tall: 'Linjen har ingen tall.',
} as const
export type LineRefusal = keyof typeof lineRefusals

export class RefusedLineError extends OppslagError {
  readonly why: LineRefusal
  /** The column, or the JSON pointer, that was refused; null when it is the line itself. */
  readonly field: string | null

  constructor(why: LineRefusal, field: string | null = null) {
    super(`linje_${why}`, lineRefusals[why])
    this.why = why
    this.field = field === null ? null : maskIdentityNumbers(field.slice(0, FIELD_LENGTH_MAX))
  }
}

const FIELD_LENGTH_MAX = 100
