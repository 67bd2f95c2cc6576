import { type CompanyAnswers, okAnswer } from '../answers.ts'
import { SAMPLE } from '../numbers.ts'
import { adresseJson, enhetJson } from '../shapes/enhet.ts'
import { gruppe, person, rolle, rollerJson } from '../shapes/roller.ts'

const limited = {
  registrertIForetaksregisteret: true,
  institusjonellSektorkode: { kode: '2100', beskrivelse: 'Private aksjeselskaper mv.' },
}
const INVESTING = { kode: '64.323', beskrivelse: 'Andre egeninvesteringsselskaper' }
const FREIGHT = { kode: '49.410', beskrivelse: 'Godstransport på vei' }
const FISH = { kode: '10.202', beskrivelse: 'Slakting av fisk, skalldyr og bløtdyr' }
const STATHELLE = ['3960', 'STATHELLE', ['4012', 'BAMBLE']] satisfies Parameters<typeof adresseJson>
const YARD = { kode: '33.150', beskrivelse: 'Reparasjon og vedlikehold av sivile skip og båter' }

export const investor: CompanyAnswers = {
  enhet: okAnswer(
    enhetJson(SAMPLE.investor, 'KYSTKAPITAL NORD AS', 'AS', {
      ...limited,
      forretningsadresse: adresseJson('9008', 'TROMSØ', ['5501', 'TROMSØ'], 'Skippergata 41'),
      registreringsdatoEnhetsregisteret: '2009-05-18',
      stiftelsesdato: '2009-05-04',
      naeringskode1: INVESTING,
      sisteInnsendteAarsregnskap: '2025',
      aktivitet: ['Investeringer i kystnæring.'],
      kapital: share(1_000_000, 10_000, '2009-05-18'),
    }),
  ),
  roller: okAnswer(
    rollerJson(
      SAMPLE.investor,
      gruppe('STYR', '2021-02-08', rolle('LEDE', person('1980-06-21', 'Ánte', 'Gaup', 'Máhtte'))),
    ),
  ),
}

export const family = invests(SAMPLE.family, 'VIKEN FAMILIEHOLDING AS', [
  '9008',
  'TROMSØ',
  ['5501', 'TROMSØ'],
  'Vestregata 8',
])

export const municipality: CompanyAnswers = {
  enhet: okAnswer(
    enhetJson(SAMPLE.municipality, 'TINDEVÅG KOMMUNE', 'KOMM', {
      forretningsadresse: adresseJson('9990', 'BÅTSFJORD', ['5632', 'BÅTSFJORD'], 'Rådhusplassen 1'),
      registreringsdatoEnhetsregisteret: '1995-03-09',
      naeringskode1: { kode: '84.110', beskrivelse: 'Generell offentlig administrasjon' },
      antallAnsatte: 412,
      harRegistrertAntallAnsatte: true,
      institusjonellSektorkode: { kode: '6500', beskrivelse: 'Kommuneforvaltningen' },
    }),
  ),
}

export const subsidiary: CompanyAnswers = {
  enhet: okAnswer(
    enhetJson(SAMPLE.subsidiary, 'TINDEVÅG FRYSERI AS', 'AS', {
      ...limited,
      forretningsadresse: adresseJson('9990', 'BÅTSFJORD', ['5632', 'BÅTSFJORD'], 'Fiskerikaia 7'),
      registreringsdatoEnhetsregisteret: '2006-10-02',
      stiftelsesdato: '2006-09-14',
      naeringskode1: FISH,
      antallAnsatte: 11,
      harRegistrertAntallAnsatte: true,
      sisteInnsendteAarsregnskap: '2025',
      erIKonsern: true,
      aktivitet: ['Utleie av fryselager.'],
      kapital: share(500_000, 1_000, '2006-10-02'),
    }),
  ),
}

export const partOwned: CompanyAnswers = {
  enhet: okAnswer(
    enhetJson(SAMPLE.partOwned, 'NORDHAVN LOGISTIKK AS', 'AS', {
      ...limited,
      forretningsadresse: adresseJson('9900', 'KIRKENES', ['5605', 'SØR-VARANGER'], 'Terminalveien 12'),
      registreringsdatoEnhetsregisteret: '2013-01-21',
      stiftelsesdato: '2013-01-07',
      naeringskode1: FREIGHT,
      antallAnsatte: 24,
      harRegistrertAntallAnsatte: true,
      sisteInnsendteAarsregnskap: '2025',
      erIKonsern: true,
      aktivitet: ['Transport av fisk.'],
      kapital: share(1_000_000, 10_000, '2013-01-21'),
    }),
  ),
}

export const associate: CompanyAnswers = {
  enhet: okAnswer(
    enhetJson(SAMPLE.associate, 'HAVGAP BRØNNBÅT AS', 'AS', {
      ...limited,
      forretningsadresse: adresseJson('6700', 'MÅLØY', ['4602', 'KINN'], 'Sjøgata 19'),
      registreringsdatoEnhetsregisteret: '2017-04-24',
      stiftelsesdato: '2017-04-03',
      naeringskode1: YARD,
      antallAnsatte: 16,
      harRegistrertAntallAnsatte: true,
      sisteInnsendteAarsregnskap: '2025',
      aktivitet: ['Drift av brønnbåt.'],
      kapital: share(2_000_000, 10_000, '2017-04-24'),
    }),
  ),
}

export const circle = invests(SAMPLE.circle, 'RUNDHOLT INVEST AS', [...STATHELLE, 'Rundholtet 2'])
export const circleOther = invests(SAMPLE.circleOther, 'KRINGSJÅ HOLDING AS', [
  ...STATHELLE,
  'Kringsjåveien 77',
])

/** Its roles were heard once, and the register has not answered about it since. */
export const stale: CompanyAnswers = {
  enhet: okAnswer(
    enhetJson(SAMPLE.stale, 'VARDETANGEN VERKSTED AS', 'AS', {
      ...limited,
      forretningsadresse: adresseJson('5986', 'HOSTELAND', ['4635', 'GULEN'], 'Tangevegen 30'),
      registreringsdatoEnhetsregisteret: '2011-11-14',
      stiftelsesdato: '2011-11-01',
      naeringskode1: YARD,
      antallAnsatte: 7,
      harRegistrertAntallAnsatte: true,
      aktivitet: ['Mekanisk verkstad.'],
      maalform: 'Nynorsk',
      kapital: share(100_000, 100, '2011-11-14'),
    }),
  ),
  roller: okAnswer(
    rollerJson(
      SAMPLE.stale,
      gruppe('DAGL', '2011-11-14', rolle('DAGL', person('1973-01-28', 'Oddrun', 'Vardetangen'))),
      gruppe('STYR', '2019-06-06', rolle('LEDE', person('1969-12-05', 'Leidulv', 'Tangenes'))),
    ),
  ),
}

/** Everything but its announcements, whose page does not answer about it. */
export const sourceAway: CompanyAnswers = {
  enhet: okAnswer(
    enhetJson(SAMPLE.sourceAway, 'TRANGFJORD TAUBÅT AS', 'AS', {
      ...limited,
      forretningsadresse: adresseJson('8300', 'SVOLVÆR', ['1865', 'VÅGAN'], 'Taubåtkaia 4'),
      registreringsdatoEnhetsregisteret: '2014-08-11',
      stiftelsesdato: '2014-07-29',
      naeringskode1: YARD,
      antallAnsatte: 5,
      harRegistrertAntallAnsatte: true,
      aktivitet: ['Sleping og berging.'],
      kapital: share(30_000, 100, '2014-08-11'),
    }),
  ),
  roller: okAnswer(
    rollerJson(
      SAMPLE.sourceAway,
      gruppe('STYR', '2014-08-11', rolle('LEDE', person('1984-02-17', 'Njål', 'Trangfjord'))),
    ),
  ),
}

export const seller: CompanyAnswers = {
  enhet: okAnswer(
    enhetJson(SAMPLE.seller, 'OPPSLAG EKSEMPEL AS', 'AS', {
      ...limited,
      forretningsadresse: adresseJson('0001', 'OSLO', ['0301', 'OSLO'], 'Prøvegata 1'),
      registreringsdatoEnhetsregisteret: '2025-01-06',
      registrertIMvaregisteret: true,
      registreringsdatoMerverdiavgiftsregisteret: '2025-02-01',
      stiftelsesdato: '2024-12-19',
      aktivitet: ['Salg av nøkler som ikke låser opp noe.'],
      kapital: share(30_000, 300, '2025-01-06'),
    }),
  ),
}

function invests(orgnr: string, navn: string, address: Parameters<typeof adresseJson>): CompanyAnswers {
  const unit = enhetJson(orgnr, navn, 'AS', {
    ...limited,
    forretningsadresse: adresseJson(...address),
    registreringsdatoEnhetsregisteret: '2016-02-22',
    stiftelsesdato: '2016-02-08',
    naeringskode1: INVESTING,
    aktivitet: ['Investeringer.'],
    kapital: share(100_000, 100, '2016-02-22'),
  })
  return { enhet: okAnswer(unit) }
}

function share(belop: number, antallAksjer: number, innfortDato: string) {
  return { belop, antallAksjer, type: 'Aksjekapital', valuta: 'NOK', innfortDato }
}
