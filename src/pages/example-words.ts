import type { Words } from '#src/core/language.ts'
import type { SampleName } from '#src/samples/numbers.ts'

/** The invented companies as a reader may look for them. */
export const exampleGroups = {
  hele: ['healthy', 'subUnit', 'usd'],
  eierskap: [
    'holding',
    'investor',
    'family',
    'subsidiary',
    'partOwned',
    'associate',
    'circle',
    'circleOther',
  ],
  tilstander: [
    'bankrupt',
    'estate',
    'forcedDissolution',
    'reconstruction',
    'associationDissolving',
    'noted',
    'deleted',
    'deletedSubUnit',
    'removed',
  ],
  former: [
    'soleProprietor',
    'foreignBranch',
    'bank',
    'partnership',
    'publicBody',
    'ministry',
    'municipality',
    'specialForm',
    'association',
  ],
  kilder: ['stale', 'sourceAway'],
  ogsa: ['auditor', 'accountant', 'seller'],
} as const satisfies Record<string, readonly SampleName[]>

export type ExampleGroup = keyof typeof exampleGroups

/** What each of them is there to show. One that is added without words does not compile. */
export const examples: Record<SampleName, Words> = {
  healthy: {
    nb: 'Et sunt aksjeselskap der alt er oppgitt: styre, revisor, signatur, seks år med regnskap, eiere i flere ledd. En av eierne er skjult etter eget ønske, en er utenlandsk.',
    en: 'A sound limited company with everything: board, auditor, signature, six years of accounts, owners in several levels. One owner is hidden at their own wish, one is foreign.',
  },
  subUnit: {
    nb: 'En underenhet. Svaret er om underenheten og viser til hovedenheten for resten.',
    en: 'A sub-unit. The answer is about the sub-unit, and refers to the main unit for the rest.',
  },
  usd: {
    nb: 'Et børsnotert selskap: nærmere 1400 aksjonærer side for side, forvaltere og staten blant dem, egne aksjer, regnskap i amerikanske dollar.',
    en: 'A listed company: close to 1,400 shareholders page by page, nominees and the state among them, its own shares, accounts in US dollars.',
  },
  holding: {
    nb: 'Et holdingselskap uten omsetning: tallet mangler, det er ikke null. Kom inn mellom eierne og selskapet midt i historikken.',
    en: 'A holding company without turnover: the figure is missing, it is not zero. It came between the owners and the company in the middle of the history.',
  },
  investor: {
    nb: 'Eier i flere ledd: direkte og gjennom holdingselskapet.',
    en: 'Owns at several levels: directly and through the holding company.',
  },
  family: {
    nb: 'Det øverste leddet på én av veiene: eies av én person alene.',
    en: 'The topmost level on one of the ways: owned by one person alone.',
  },
  subsidiary: { nb: 'Et heleid datterselskap.', en: 'A wholly owned subsidiary.' },
  partOwned: { nb: 'Et datterselskap med andre eiere.', en: 'A subsidiary with other owners.' },
  associate: {
    nb: 'Et tilknyttet selskap, en tredel eid, med en utenlandsk eier.',
    en: 'An associated company, one third owned, with a foreign owner.',
  },
  circle: {
    nb: 'To selskaper som eier hverandre: sirkelen går opp, og er merket.',
    en: 'Two companies that own each other: the circle is worked out, and marked.',
  },
  circleOther: { nb: 'Det andre av de to.', en: 'The other of the two.' },
  bankrupt: {
    nb: 'Konkurs. Daglig leder står fortsatt i registeret, og bostyreren er kommet til.',
    en: 'Bankrupt. The managing director is still in the register, and an administrator has come in.',
  },
  estate: { nb: 'Konkursboet, som er en enhet for seg.', en: 'The estate, which is a unit of its own.' },
  forcedDissolution: {
    nb: 'Under tvangsoppløsning for manglende regnskap og under avvikling samtidig. Aksjeboken mangler totaltall, så ingen andeler vises.',
    en: 'Under forced dissolution for missing accounts, and winding up at the same time. The share book has no total, so no percentages are shown.',
  },
  reconstruction: {
    nb: 'I forhandlinger om rekonstruksjon. Signaturregelen er fri tekst, og aksjene er i to klasser.',
    en: 'Negotiating a reconstruction. The signature rule is free text, and the shares are in two classes.',
  },
  associationDissolving: {
    nb: 'En forening under avvikling, med samme navn som en som lever.',
    en: 'An association that is winding up, of the same name as one that lives.',
  },
  noted: {
    nb: 'Registeret har påtegninger: feil adresse, og ingen daglig leder.',
    en: 'Noted by the register: a wrong address, and no managing director.',
  },
  deleted: {
    nb: 'Slettet: svaret er 200 med slettedato, og navnet lever videre i et annet selskap.',
    en: 'Deleted: the answer is 200 with the date, and the name lives on in another company.',
  },
  deletedSubUnit: { nb: 'En slettet underenhet.', en: 'A deleted sub-unit.' },
  removed: {
    nb: 'Fjernet fra det åpne registeret på rettslig grunnlag: svaret er 410.',
    en: 'Removed from the open register on legal grounds: the answer is 410.',
  },
  soleProprietor: {
    nb: 'Et enkeltpersonforetak: innehaver og lite annet. Det har én til fire ansatte, og registeret viser ikke hvor mange.',
    en: 'A sole proprietorship: an owner and little else. It has one to four employees, and the register withholds how many.',
  },
  foreignBranch: {
    nb: 'Et utenlandsk foretak registrert i Norge, insolvent hjemme.',
    en: 'A foreign company registered in Norway, insolvent at home.',
  },
  bank: {
    nb: 'En bank: den åpne tjenesten har ikke regnskapene til banker, og svaret sier det.',
    en: 'A bank: the open service does not have the accounts of banks, and the answer says so.',
  },
  partnership: {
    nb: 'Et ansvarlig selskap med deltakere og andeler, og en tidligere deltaker.',
    en: 'A general partnership with partners and shares, and a former partner.',
  },
  publicBody: {
    nb: 'Et organisasjonsledd i staten, med departementet over seg.',
    en: 'Part of the state, with the ministry above it.',
  },
  ministry: {
    nb: 'Et departement, som eier en tredel av det børsnoterte selskapet.',
    en: 'A ministry, which owns a third of the listed company.',
  },
  municipality: { nb: 'En kommune som eier aksjer.', en: 'A municipality that owns shares.' },
  specialForm: {
    nb: 'Opprettet ved særskilt lov, med roller ingen kodeliste kjenner.',
    en: 'Established by a special act, with roles no list of codes knows.',
  },
  association: { nb: 'En forening.', en: 'An association.' },
  stale: {
    nb: 'Rolleregisteret har sluttet å svare om dette foretaket: rollene er en eldre kopi, merket som det.',
    en: 'The register of roles has stopped answering about this company: its roles are an older copy, marked as one.',
  },
  sourceAway: {
    nb: 'Kunngjøringene svarer ikke: den delen er utilgjengelig med årsak, resten er helt, og «komplett» er usant.',
    en: 'The announcements do not answer: that part is unavailable with a reason, the rest is whole, and `komplett` is false.',
  },
  auditor: { nb: 'Revisoren til flere av de andre.', en: 'The auditor of several of the others.' },
  accountant: {
    nb: 'Regnskapsføreren til flere av de andre.',
    en: 'The accountant of several of the others.',
  },
  seller: { nb: 'Selgeren av nøkler i demoen.', en: 'The seller of keys in the demo.' },
}
