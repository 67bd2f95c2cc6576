import { type CompanyAnswers, okAnswer, type RegisterAnswer } from '#src/samples/answers.ts'
import { enhetJson } from '#src/samples/shapes/enhet.ts'
import { type Foretak, fullmaktJson, ingenFullmaktJson, personRolle } from '#src/samples/shapes/fullmakt.ts'
import { kunngjoringPage } from '#src/samples/shapes/kunngjoringer.ts'
import { aar, figures, regnskapJson } from '#src/samples/shapes/regnskap.ts'
import { foretakJson, gruppe, person, rolle, rollerJson } from '#src/samples/shapes/roller.ts'
import type { Invention, Person } from './invention.ts'

/** How much there is to say about a small limited company. */
export type Extent = { boardMembers: number; hasAuditor: boolean; filings: number; announcements: number }

/** A limited company as most are: a board, a managing director, perhaps an auditor, the accounts of some years. */
export function smallCompany(
  orgnr: string,
  invent: Invention,
  { boardMembers, hasAuditor, filings, announcements }: Extent,
): CompanyAnswers {
  const navn = `${invent.companyName()} AS`
  const self: Foretak = { orgnr, navn, form: 'AS' }
  const registered = invent.date(1996, 2023)
  const board = Array.from({ length: boardMembers }, () => invent.person())
  const [chair = invent.person()] = board
  const capital = invent.whole(3, 50) * 10_000
  return {
    enhet: okAnswer(
      enhetJson(orgnr, navn, 'AS', {
        epostadresse: `post@${invent.surname().toLowerCase()}.example`,
        mobil: `00 00 ${invent.whole(10, 99)} ${invent.whole(10, 99)}`,
        forretningsadresse: invent.address(),
        registreringsdatoEnhetsregisteret: registered,
        registrertIMvaregisteret: true,
        registreringsdatoMerverdiavgiftsregisteret: registered,
        registreringsdatoMerverdiavgiftsregisteretEnhetsregisteret: registered,
        naeringskode1: invent.industry(),
        harRegistrertAntallAnsatte: true,
        antallAnsatte: invent.whole(5, 60),
        registreringsdatoAntallAnsatteEnhetsregisteret: '2026-09-12',
        registreringsdatoAntallAnsatteNAVAaregisteret: '2026-09-10',
        stiftelsesdato: registered,
        institusjonellSektorkode: { kode: '2100', beskrivelse: 'Private aksjeselskaper mv.' },
        registrertIForetaksregisteret: true,
        registreringsdatoForetaksregisteret: registered,
        ...(filings > 0 ? { sisteInnsendteAarsregnskap: '2025' } : {}),
        vedtektsdato: invent.date(2005, 2025),
        vedtektsfestetFormaal: invent.purpose(1),
        aktivitet: invent.purpose(1),
        kapital: {
          belop: capital,
          antallAksjer: capital / 100,
          type: 'Aksjekapital',
          valuta: 'NOK',
          innfortDato: registered,
          innbetalt: capital,
          fulltInnbetalt: true,
        },
      }),
    ),
    roller: okAnswer(
      rollerJson(
        orgnr,
        gruppe('DAGL', invent.date(2015, 2025), rolle('DAGL', asHolder(chair))),
        gruppe(
          'STYR',
          invent.date(2015, 2025),
          ...board.map((member, place) => rolle(place === 0 ? 'LEDE' : 'MEDL', asHolder(member))),
        ),
        ...(hasAuditor ? [auditorOf(invent)] : []),
      ),
    ),
    signatur: okAnswer(signatureOf(self, chair)),
    prokura: okAnswer(ingenFullmaktJson(self, 'prokura')),
    ...(filings > 0 ? { regnskap: okAnswer(filingsOf(orgnr, invent, filings)) } : {}),
    kunngjoringer: announcementsOf(orgnr, invent, announcements),
  }
}

function asHolder({ fodselsdato, fornavn, etternavn }: Person) {
  return person(fodselsdato, fornavn, etternavn)
}

function auditorOf(invent: Invention) {
  const firm = foretakJson(`9${invent.whole(10_000_000, 99_999_999)}`, 'AS', [
    `${invent.companyName()} REVISJON AS`,
  ])
  return gruppe('REVI', invent.date(2012, 2024), rolle('REVI', firm))
}

function signatureOf(self: Foretak, { fodselsdato, fornavn, etternavn }: Person) {
  const born = fodselsdato.split('-').reverse().join('.')
  const chair = personRolle(born, `${fornavn} ${etternavn}`, 'LEDE', 'Styrets leder')
  return fullmaktJson(self, 'signatur', {
    fritekst: 'Styrets leder alene.',
    regelIdent: 'R0001',
    mulige: [chair],
    kombinasjoner: [{ kode: 'R0001', tekstforklaring: 'Styrets leder alene', personer: [chair] }],
  })
}

/** The accounts of the latest years, with figures as a small company files them. */
export function filingsOf(orgnr: string, invent: Invention, count: number) {
  return Array.from({ length: count }, (_, index) => {
    const turnover = invent.amount()
    const part = (most: number) => Math.round(turnover * invent.chance() * most)
    return regnskapJson(
      {
        orgnr,
        form: 'AS',
        id: invent.whole(4_000_000, 7_999_999),
        journalnr: `20${26 - count + 1 + index}${invent.whole(100_000, 999_999)}`,
        regnskapstype: 'SELSKAP',
        periode: aar(2025 - count + 1 + index),
      },
      figures({
        driftsinntekter: turnover,
        driftskostnad: part(1.1),
        finansinntekter: part(0.01),
        finanskostnader: part(0.02),
        skatt: part(0.05),
        anleggsmidler: part(1),
        omloepsmidler: part(0.6),
        bankinnskudd: part(0.2),
        innskuttEgenkapital: 30_000,
        opptjentEgenkapital: part(0.5),
        langsiktigGjeld: part(0.4),
      }),
    )
  })
}

/** The page of announcements, newest first. */
export function announcementsOf(orgnr: string, invent: Invention, count: number): RegisterAnswer {
  const dates = Array.from({ length: count }, () => invent.date(2010, 2026)).sort()
  const html = kunngjoringPage(
    orgnr,
    dates.reverse().map((date) => ({
      date: date.split('-').reverse().join('.'),
      title: invent.announcement(),
      kid: `${date.slice(0, 4)}${invent.whole(1_000_000_000, 9_999_999_999)}`,
    })),
  )
  return { status: 200, html }
}
