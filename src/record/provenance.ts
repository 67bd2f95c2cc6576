import type { Words } from '#src/core/language.ts'
import type { SourceFailure } from '#src/sources/source.ts'
import type { Arsak } from './state.ts'

const failures: Record<SourceFailure, Words> = {
  tidsfrist: { nb: 'Kilden svarte ikke innen fristen.', en: 'The source did not answer in time.' },
  nettverk: { nb: 'Kilden kunne ikke nås.', en: 'The source could not be reached.' },
  feilstatus: { nb: 'Kilden svarte med en feil.', en: 'The source answered with an error.' },
  ugyldig_svar: {
    nb: 'Kildens svar hadde ikke den formen det skal ha, og er ikke brukt.',
    en: 'The answer of the source was not of the shape it should have, and is not used.',
  },
  feil_foretak: {
    nb: 'Kilden svarte med opplysninger om et annet foretak, og svaret er ikke brukt.',
    en: 'The source answered about another company, and the answer is not used.',
  },
  budsjett_brukt: {
    nb: 'Tjenestens egen grense for kall til kilden er nådd.',
    en: 'The service’s own bound on calls to the source is reached.',
  },
  avslatt: { nb: 'Kilden er slått av i denne tjenesten.', en: 'The source is switched off in this service.' },
  sperret: {
    nb: 'Kilden har sviktet, og tjenesten lar den være i fred en stund.',
    en: 'The source has failed, and the service leaves it alone for a while.',
  },
  intern_feil: {
    nb: 'Tjenesten selv gjorde en feil med denne delen; den er meldt til driften.',
    en: 'The service itself made a mistake with this part; its operators are told.',
  },
  opptatt: {
    nb: 'Det er allerede så mange kall til kilden underveis som det er lov til.',
    en: 'As many calls to the source are under way already as there may be.',
  },
}

export function failureReason(failure: SourceFailure): Arsak {
  return { kode: failure, beskrivelse: failures[failure].nb }
}

/** Why a section is empty or does not apply, by code. */
const reasons = {
  fornyes: {
    nb: 'En eldre kopi vises mens kilden spørres på nytt.',
    en: 'An older copy is shown while the source is asked again.',
  },
  ingen_hos_kilden: {
    nb: 'Kilden svarte at den ikke har noe om dette foretaket.',
    en: 'The source answered that it has nothing about this company.',
  },
  ingen_hos_kilden_na: {
    nb: 'Kilden har ikke noe om dette foretaket nå; det som vises, er fra tjenestens arkiv.',
    en: 'The source has nothing about this company now; what is shown is from the archive of the service.',
  },
  ingen_overordnet_enhet: {
    nb: 'Registeret oppgir ingen overordnet enhet.',
    en: 'The register states no parent unit.',
  },
  fjernet_hos_kilden: {
    nb: 'Kilden har fjernet opplysningene.',
    en: 'The source has removed the information.',
  },
  gjelder_overordnet_enhet: {
    nb: 'Gjelder hovedenheten; se overordnetEnhet.',
    en: 'Is of the main unit; see overordnetEnhet.',
  },
  foretaket_er_slettet: {
    nb: 'Foretaket er slettet; registeret viser bare navn, form og slettedato.',
    en: 'The company is deleted; the register shows name, form and day of deletion alone.',
  },
  oppstillingsplan_ikke_stottet: {
    nb: 'Regnskapsregisterets åpne tjeneste støtter ikke oppstillingsplanen til banker, forsikring og enkelte andre.',
    en: 'The open service of the accounts register does not do the layout of banks, insurers and some others.',
  },
  ikke_hentet: { nb: 'Tabellen er ikke hentet ennå.', en: 'The table has not been fetched yet.' },
  arkiv_ikke_importert: {
    nb: 'Aksjonærregisteret er ikke importert.',
    en: 'The shareholder register has not been imported.',
  },
  ikke_i_aksjonaerregisteret: {
    nb: 'Foretaket står ikke i noen av de importerte årene av aksjonærregisteret.',
    en: 'The company is in none of the imported years of the shareholder register.',
  },
} as const satisfies Record<string, Words>

export function reason(kode: keyof typeof reasons): Arsak {
  return { kode, beskrivelse: reasons[kode].nb }
}

/** All of them, as a record says them and in English. */
export const reasonsInWords: readonly Words[] = [...Object.values(failures), ...Object.values(reasons)]
