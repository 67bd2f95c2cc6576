import type { DocumentWords } from './kind.ts'

/** Of what stands in many places of a record. */
export const commonWords: DocumentWords = {
  Problem:
    'Others may come along: parameter, utloper, slettedato; with register_utilgjengelig arsak and avvik.',
  'Problem.type': ['Adressen til en side om feilen.', 'The address of a page about it.'],
  title: ['Hva slags feil.', 'What kind of problem.'],
  'Problem.status': ['HTTP-status.', 'HTTP status.'],
  detail: ['Hva som er galt.', 'What is wrong.'],
  'Problem.kode': 'The name of the problem. New ones may come.',
  foresporselId: ['Svarets id, også i loggen.', 'The id of the answer, in the log as well.'],
  NokkelStatus: ['Nøkkelen det ble spurt med.', 'The key that was asked with.'],
  gyldig: ['Alltid true: en ugyldig nøkkel gir 401.', 'Always true: an invalid key is 401.'],
  nokkelId: 'The part of the key that may be shown and logged.',
  utloper: 'The key is valid until this moment, not from it.',
  dagerIgjen: 'Days left, begun ones counted.',
  miljo: ['live: produksjon.', 'live: production.'],

  Kode: [
    'En kode av registerets egen liste. Nye kommer.',
    "A code of the register's own list. New ones come.",
  ],
  kode: ['Koden.', 'The code.'],
  beskrivelse: ['Hva koden står for.', 'What the code stands for.'],
  Tilstand:
    'fersk: fetched within the fresh time. utdatert: an older copy, shown since the source did not answer, no longer has it or is being asked again. utilgjengelig: we do not know; arsak says why. ikke_funnet: the source answered that it has nothing of this company. ikke_relevant: does not apply to this company; arsak says why. ikke_importert: the archive has not been delivered to the service.',
  MedData: ['Seksjonen når det er noe å vise.', 'The section when there is something to show.'],
  UtenData: ['Seksjonen når det ikke er det.', 'The section when there is not.'],
  tilstand: ['Seksjonens tilstand; se Tilstand.', 'The state of the section; see Tilstand.'],
  'UtenData.data': ['Ingenting; kilder sier hvorfor.', 'Nothing; kilder says why.'],
  'OverordnetEnhetUtenData.data': ['Ingenting; kilder sier hvorfor.', 'Nothing; kilder says why.'],
  Arsak: ['Hvorfor det er slik.', 'Why it is so.'],
  Kilde: ['Hvor en seksjon kommer fra.', 'Where a section comes from.'],
  KildeId: 'The source, for programs: does not change. New ones may come.',
  kilde: ['Kildens navn.', 'The name of the source.'],
  lisens: ['Vilkårene opplysningene er gitt på.', 'The terms it is given on.'],
  hentet: ['Når kilden svarte.', 'When the source answered.'],
  gjelderPer: ['Hva opplysningene gjelder for.', 'What it is as of.'],
  'Kilde.adresse':
    'Where the source was asked of this company. null: nobody was asked, or it is from a file.',
  Avvik:
    'What in the answer of the source had an unexpected shape (JSON pointer): unknown, not empty. It is null where it would stand, or left out of its list. Of a source that is unavailable: what made its answer useless.',
  kilder: ['Hver seksjons kilde.', 'The source of each section.'],
  komplett: 'false when a section at least is unavailable in this answer.',
  organisasjonsnummer: ['Ni siffer.', 'Nine digits.'],
  navn: ['Navnet.', 'The name.'],
  dato: ['Dagen.', 'The day.'],
  type: ['Hva slags.', 'Of what kind.'],
  DatoEllerTidspunkt: ['En dag, eller et tidspunkt med sone.', 'A day, or a moment with its zone.'],
  tekst: ['Registerets ord.', "The register's words."],
}
