import type { Words } from '#src/core/language.ts'
import type { SectionName } from '#src/record/sections.ts'

/** A kind of change: its name for programs, which stays, the part of the record it is in, and what people read. */
type ChangeType<Name extends string, Section extends SectionName> = {
  readonly type: Name
  readonly section: Section
  readonly title: Words
}

/**
 * Every kind of change there is. The names are hierarchical: whoever wants `foretak` gets all that begin with `foretak.`. New ones
 * may come; none is taken away.
 */
export const changeTypes = [
  ...of('enhet', {
    'foretak.navn.endret': ['Navnet er endret', 'The name has changed'],
    'foretak.slettet': ['Foretaket er slettet', 'The company has been deleted'],
    'foretak.gjenopprettet': ['Foretaket er ikke lenger slettet', 'The company is no longer deleted'],
    'foretak.organisasjonsform.endret': ['Organisasjonsformen er endret', 'The legal form has changed'],
    'foretak.kapital.endret': ['Kapitalen er endret', 'The capital has changed'],
    'foretak.ansatte.endret': ['Antall ansatte er endret', 'The number of employees has changed'],
    'foretak.kontakt.endret': [
      'Telefon, e-post eller nettsted er endret',
      'Telephone, e-mail or website has changed',
    ],
    'foretak.registrering.endret': [
      'Registreringen i et register er endret',
      'The registration in a register has changed',
    ],
    'foretak.endret': [
      'Andre opplysninger om foretaket er endret',
      'Other facts about the company have changed',
    ],
  }),
  ...of('status', {
    'foretak.konkurs.apnet': ['Konkurs er åpnet', 'Bankruptcy has been opened'],
    'foretak.konkurs.avsluttet': ['Konkursen er avsluttet', 'The bankruptcy has ended'],
    'foretak.avvikling.apnet': ['Foretaket er under avvikling', 'The company is being wound up'],
    'foretak.avvikling.avsluttet': ['Foretaket er ikke lenger under avvikling', 'The winding-up has ended'],
    'foretak.tvangsavvikling.apnet': [
      'Tvangsavvikling eller tvangsoppløsning er åpnet',
      'Forced winding-up or dissolution has been opened',
    ],
    'foretak.tvangsavvikling.avsluttet': [
      'Tvangsavviklingen eller tvangsoppløsningen er avsluttet',
      'The forced winding-up or dissolution has ended',
    ],
    'foretak.rekonstruksjon.apnet': ['Rekonstruksjon er åpnet', 'Reconstruction has been opened'],
    'foretak.rekonstruksjon.avsluttet': ['Rekonstruksjonen er avsluttet', 'The reconstruction has ended'],
    'foretak.utenlandskInsolvens.apnet': [
      'Insolvensbehandling i utlandet er åpnet',
      'Insolvency proceedings abroad have been opened',
    ],
    'foretak.utenlandskInsolvens.avsluttet': [
      'Insolvensbehandlingen i utlandet er avsluttet',
      'The insolvency proceedings abroad have ended',
    ],
    'foretak.paategning.endret': ['Påtegningene er endret', 'The endorsements have changed'],
    'foretak.status.endret': ['Statusen er endret på annen måte', 'The status has changed in another way'],
  }),
  ...of('overordnetEnhet', {
    'foretak.overordnetEnhet.endret': ['Overordnet enhet er en annen', 'The parent unit is another'],
  }),
  ...of('adresser', { 'foretak.adresse.endret': ['En adresse er endret', 'An address has changed'] }),
  ...of('naering', {
    'foretak.naering.endret': ['Næringskodene er endret', 'The industry codes have changed'],
    'foretak.formaal.endret': ['Aktivitet eller formål er endret', 'Activity or purpose has changed'],
  }),
  ...of('roller', {
    'roller.styre.endret': ['Styret er endret', 'The board has changed'],
    'roller.dagligLeder.endret': ['Daglig leder er endret', 'The managing director has changed'],
    'roller.revisor.endret': ['Revisor er endret', 'The auditor has changed'],
    'roller.regnskapsforer.endret': ['Regnskapsfører er endret', 'The accountant has changed'],
    'roller.innehaver.endret': ['Innehaver er endret', 'The owner has changed'],
    'roller.deltakere.endret': ['Deltakerne er endret', 'The partners have changed'],
    'roller.bostyrer.endret': ['Bostyrer er endret', 'The trustee has changed'],
    'roller.kontaktperson.endret': ['Kontaktperson er endret', 'The contact person has changed'],
    'roller.endret': ['Andre roller er endret', 'Other roles have changed'],
  }),
  ...of('signatur', {
    'roller.signatur.endret': ['Signaturretten er endret', 'The right to sign has changed'],
  }),
  ...of('prokura', { 'roller.prokura.endret': ['Prokuraen er endret', 'The prokura has changed'] }),
  ...of('regnskap', {
    'regnskap.nytt': ['Et nytt årsregnskap er kommet', 'New annual accounts have come'],
    'regnskap.endret': ['Et årsregnskap er endret', 'Annual accounts have changed'],
  }),
  ...of('kunngjoringer', {
    'kunngjoring.ny': ['En ny kunngjøring er kommet', 'A new announcement has come'],
    'kunngjoring.endret': ['En kunngjøring er endret', 'An announcement has changed'],
  }),
  ...of('aksjonaerer', {
    'aksjonaerer.nytt_aar': ['Aksjonærer for et nytt år er kommet', 'Shareholders of a new year have come'],
    'aksjonaerer.endret': [
      'Tall fra aksjonærregisteret er endret',
      'Figures of the share register have changed',
    ],
  }),
  ...of('konsern', { 'konsern.endret': ['Konsernet er endret', 'The group has changed'] }),
  ...of('underenheter', { 'underenheter.endret': ['Underenhetene er endret', 'The sub-units have changed'] }),
  ...of('rollerIAndreForetak', {
    'rollerIAndreForetak.endret': [
      'Roller i andre foretak er endret',
      'Roles in other companies have changed',
    ],
  }),
  ...of('regnskapskopier', {
    'regnskapskopier.endret': [
      'Kopiene av årsregnskap er endret',
      'The copies of annual accounts have changed',
    ],
  }),
]

export type ChangeTypeName = (typeof changeTypes)[number]['type']
/** The parts of the record that have kinds of change. */
export type ToldSection = (typeof changeTypes)[number]['section']

function of<const Name extends string, const Section extends SectionName>(
  section: Section,
  titles: Readonly<Record<Name, readonly [nb: string, en: string]>>,
): ChangeType<Name, Section>[] {
  return Object.entries<readonly [string, string]>(titles).map(([type, [nb, en]]) => ({
    type: type as Name,
    section,
    title: { nb, en },
  }))
}
