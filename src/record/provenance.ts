import type { SourceFailure } from '#src/sources/source.ts'
import type { Arsak } from './state.ts'

const failures: Record<SourceFailure, string> = {
  tidsfrist: 'Kilden svarte ikke innen fristen.',
  nettverk: 'Kilden kunne ikke nås.',
  feilstatus: 'Kilden svarte med en feil.',
  ugyldig_svar: 'Kildens svar hadde ikke den formen det skal ha, og er ikke brukt.',
  feil_foretak: 'Kilden svarte med opplysninger om et annet foretak, og svaret er ikke brukt.',
  budsjett_brukt: 'Tjenestens egen grense for kall til kilden er nådd.',
  avslatt: 'Kilden er slått av i denne tjenesten.',
  sperret: 'Kilden har sviktet, og tjenesten lar den være i fred en stund.',
  intern_feil: 'Tjenesten selv gjorde en feil med denne delen; den er meldt til driften.',
  opptatt: 'Det er allerede så mange kall til kilden underveis som det er lov til.',
}

export function failureReason(failure: SourceFailure): Arsak {
  return { kode: failure, beskrivelse: failures[failure] }
}

/** Why a section is empty or does not apply, by code. */
const reasons = {
  fornyes: 'En eldre kopi vises mens kilden spørres på nytt.',
  ingen_hos_kilden: 'Kilden svarte at den ikke har noe om dette foretaket.',
  ingen_hos_kilden_na: 'Kilden har ikke noe om dette foretaket nå; det som vises, er fra tjenestens arkiv.',
  ingen_overordnet_enhet: 'Registeret oppgir ingen overordnet enhet.',
  fjernet_hos_kilden: 'Kilden har fjernet opplysningene.',
  gjelder_overordnet_enhet: 'Gjelder hovedenheten; se overordnetEnhet.',
  foretaket_er_slettet: 'Foretaket er slettet; registeret viser bare navn, form og slettedato.',
  oppstillingsplan_ikke_stottet:
    'Regnskapsregisterets åpne tjeneste støtter ikke oppstillingsplanen til banker, forsikring og enkelte andre.',
  ikke_hentet: 'Tabellen er ikke hentet ennå.',
  arkiv_ikke_importert: 'Aksjonærregisteret er ikke importert.',
  ikke_i_aksjonaerregisteret: 'Foretaket står ikke i noen av de importerte årene av aksjonærregisteret.',
} as const satisfies Record<string, string>

export function reason(kode: keyof typeof reasons): Arsak {
  return { kode, beskrivelse: reasons[kode] }
}
