import type { DocumentWords } from './kind.ts'

/** Of what a search finds. */
export const searchWords: DocumentWords = {
  Sok: ['Svaret på et søk.', 'The answer to a search.'],
  Forslag: ['Forslagene.', 'The suggestions.'],
  Finn: ['Ett foretak, eller kandidater.', 'One company, or candidates.'],
  Treff: ['Et foretak som svarer.', 'A company that answers.'],
  Treffgrunn: ['Hvorfor det er med.', 'Why it is there.'],
  'Treffgrunn.grunn':
    'navn_uten_tillegg: all but words such as Norge and Gruppen. likhet: letters are taken for others. underenhet: the name is the sign of several of its sub-units.',
  'Treffgrunn.navn': 'The name, site or number that answers.',
  'Treffgrunn.fra': ['Navnet gjaldt fra.', 'It had the name from.'],
  'Treffgrunn.til': ['Navnet gjaldt til.', 'It had the name until.'],
  'Treffgrunn.underenhet': ['Underenheten som svarer.', 'The sub-unit that answers.'],
  Visshet:
    'sikker: exactly one company answers altogether, well ahead of the next. velg: one of these. ingen: nothing to choose from.',
  totalt: ['Så mange er regnet med.', 'So many are counted.'],
  totaltErMinst: 'true: there are more than totalt; neste goes through those counted.',
  vist: ['Så mange er her.', 'So many are here.'],
  'Sok.avkortet': 'true when there are more hits than are shown.',
  neste: 'The value of etter for the next page; null on the last.',
  'Sok.neste': 'The value of etter for the next page; null on the last.',
  treff: ['De beste først.', 'The best first.'],
  Sokeavbrudd:
    'true: the search met its time limit, and there may be more and better hits. visshet is never sikker then.',
  Sokegrunnlag:
    "indeks: the service's own, with former names, sub-units, sites and telephones. register: the register's own search by name, ordered anew.",
  Indeks: ['Hvor fersk indeksen er.', 'How fresh the index is.'],
  filerHentet: "When the register's bulk files were fetched.",
  endringerTil: 'Changes the register told of until then are in it.',
  Sokekilde: ['Hvor treffene kommer fra.', 'Where the hits come from.'],
  'Treff.overordnetEnhet': ['Den overordnede enhetens nummer.', 'The number of the unit above.'],
  sted: ['Poststed.', 'Post town.'],
  form: ['Organisasjonsform.', 'Form.'],
  foretak: 'Only when visshet is sikker.',
  kandidater: 'The nearest, when visshet is velg.',
}
