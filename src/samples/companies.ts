import { type CompanyAnswers, okAnswer } from './answers.ts'
import {
  associationDissolving,
  bankrupt,
  estate,
  forcedDissolution,
  reconstruction,
} from './companies/insolvent.ts'
import { ishavskraft } from './companies/ishavskraft.ts'
import { foreignBranch, noted, partnership, soleProprietor, specialForm } from './companies/other-forms.ts'
import {
  associate,
  circle,
  circleOther,
  family,
  investor,
  municipality,
  partOwned,
  seller,
  sourceAway,
  stale,
  subsidiary,
} from './companies/owners-and-owned.ts'
import {
  accountant,
  association,
  auditor,
  ministry,
  publicBody,
  removedCompany,
  sparebank,
} from './companies/public-and-plain.ts'
import {
  tindevaag,
  tindevaagDeleted,
  tindevaagDeletedSubUnit,
  tindevaagHavoysund,
} from './companies/tindevaag-group.ts'
import { tindevaagSjomat } from './companies/tindevaag-sjomat.ts'
import { SAMPLE, type SampleNumber, STATIONS } from './numbers.ts'
import { adresseJson, underenhetJson } from './shapes/enhet.ts'
import { foretakJson, gruppe, olderRolle, rolle, rollerJson } from './shapes/roller.ts'
import { hos, rollerHosAndre } from './shapes/roller-i-andre-foretak.ts'

/** What each register says of each invented company, as it was written. `SAMPLE` says which number shows what. */
export const companies: Readonly<Record<SampleNumber, CompanyAnswers>> = {
  [SAMPLE.healthy]: {
    ...tindevaagSjomat,
    regnskapskopier: copiesOf(2019, 2025),
    konsern: okAnswer(tindevaagKonsern()),
    rollerIAndreForetak: okAnswer(
      rollerHosAndre(SAMPLE.healthy, hos(SAMPLE.partOwned, 'NORDHAVN LOGISTIKK AS', 'AS', 'FFØR')),
    ),
  },
  [SAMPLE.holding]: {
    ...tindevaag,
    konsern: okAnswer(tindevaagKonsern()),
    regnskapskopier: copiesOf(2024, 2025),
  },
  [SAMPLE.subUnit]: tindevaagHavoysund,
  [SAMPLE.deletedSubUnit]: tindevaagDeletedSubUnit,
  [SAMPLE.deleted]: tindevaagDeleted,
  [SAMPLE.investor]: investor,
  [SAMPLE.family]: family,
  [SAMPLE.municipality]: municipality,
  [SAMPLE.subsidiary]: { ...subsidiary, konsern: okAnswer(tindevaagKonsern()) },
  [SAMPLE.partOwned]: {
    ...partOwned,
    konsern: okAnswer(tindevaagKonsern()),
    roller: okAnswer(
      rollerJson(
        SAMPLE.partOwned,
        gruppe(
          'FFØR',
          '2020-03-02',
          rolle('FFØR', foretakJson(SAMPLE.healthy, 'AS', ['TINDEVÅG SJØMAT AS'])),
        ),
      ),
    ),
  },
  [SAMPLE.associate]: associate,
  [SAMPLE.usd]: {
    ...ishavskraft,
    regnskapskopier: copiesOf(2011, 2025),
    underenheter: okAnswer(ishavskraftStations()),
  },
  [SAMPLE.circle]: circle,
  [SAMPLE.circleOther]: circleOther,
  [SAMPLE.stale]: stale,
  [SAMPLE.sourceAway]: sourceAway,
  [SAMPLE.seller]: seller,
  [SAMPLE.bankrupt]: bankrupt,
  [SAMPLE.estate]: estate,
  [SAMPLE.forcedDissolution]: forcedDissolution,
  [SAMPLE.reconstruction]: reconstruction,
  [SAMPLE.removed]: removedCompany,
  [SAMPLE.bank]: sparebank,
  [SAMPLE.soleProprietor]: soleProprietor,
  [SAMPLE.foreignBranch]: foreignBranch,
  [SAMPLE.noted]: noted,
  [SAMPLE.partnership]: partnership,
  [SAMPLE.publicBody]: publicBody,
  [SAMPLE.ministry]: {
    ...ministry,
    rollerIAndreForetak: okAnswer(
      rollerHosAndre(SAMPLE.ministry, hos(SAMPLE.publicBody, 'KYSTDIREKTORATET I NORD', 'ORGL', 'ORGL')),
    ),
  },
  [SAMPLE.specialForm]: specialForm,
  [SAMPLE.association]: association,
  [SAMPLE.associationDissolving]: associationDissolving,
  [SAMPLE.auditor]: {
    ...auditor,
    rollerIAndreForetak: okAnswer(
      rollerHosAndre(
        SAMPLE.auditor,
        hos(SAMPLE.healthy, 'TINDEVÅG SJØMAT AS', 'AS', 'REVI'),
        hos(SAMPLE.usd, 'ISHAVSKRAFT GLOBAL ASA', 'ASA', 'REVI'),
        hos(SAMPLE.bank, 'SPAREBANKEN YTRE VÅG', 'SPA', 'REVI'),
        hos(SAMPLE.holding, 'TINDEVÅG AS', 'AS', rolle('REVI', {}, { avregistrert: true })),
      ),
    ),
  },
  [SAMPLE.accountant]: {
    ...accountant,
    rollerIAndreForetak: okAnswer(
      rollerHosAndre(
        SAMPLE.accountant,
        hos(SAMPLE.healthy, 'TINDEVÅG SJØMAT AS', 'AS', 'REGN'),
        hos(
          SAMPLE.partnership,
          'BRØDRENE LØVÅS REGNSKAP DA',
          'DA',
          olderRolle('DTPR', {}, { ansvarsandel: '1/3', fratraadt: false }),
        ),
      ),
    ),
  },
}

/** More than a page of the register has, most of them small. */
function ishavskraftStations() {
  const stations = ['ALNESØYA', 'BRATTHOLMEN', 'DYPVIKA', 'EIDFJELL', 'GLIMSUND', 'HAVREKKA', 'KOBBEN']
  return STATIONS.map((orgnr, index) => {
    const [size, place] = [index % 11, stations[index % stations.length] ?? '']
    return underenhetJson(
      orgnr,
      `ISHAVSKRAFT GLOBAL ASA AVD ${place} ${Math.floor(index / stations.length) + 1}`,
      {
        registreringsdatoEnhetsregisteret: '2003-05-12',
        naeringskode1: { kode: '35.110', beskrivelse: 'Produksjon av elektrisitet fra fornybare kilder' },
        harRegistrertAntallAnsatte: size > 0,
        ...(size > 4 && { antallAnsatte: size * (index % 7 === 0 ? 29 : 3) }),
        overordnetEnhet: SAMPLE.usd,
        oppstartsdato: '2003-05-01',
        beliggenhetsadresse: adresseJson(
          '9990',
          'BÅTSFJORD',
          ['5632', 'BÅTSFJORD'],
          `Kraftveien ${index + 1}`,
        ),
      },
    )
  })
}

/** So many years, the oldest first, as the register has them: texts. */
function copiesOf(first: number, last: number) {
  return okAnswer(Array.from({ length: last - first + 1 }, (_, index) => String(first + index)))
}

type Foretak = { navn: string; organisasjonsnummer: string }

/**
 * The whole group, the same whichever member is asked about. By its shares one of them is half the group's and no more: the
 * register has it in the group all the same.
 */
function tindevaagKonsern() {
  const form = { kode: 'AS', beskrivelse: 'Aksjeselskap' }
  const top = { navn: 'TINDEVÅG AS', organisasjonsnummer: SAMPLE.holding }
  const fish = { navn: 'TINDEVÅG SJØMAT AS', organisasjonsnummer: SAMPLE.healthy }
  const under = (parent: Foretak, nivaa: number, own: Foretak) => ({
    nivaa,
    knytningsform: { kode: 'KDAT', beskrivelse: 'Konsern datter' },
    ...own,
    parentNavn: parent.navn,
    parentOrganisasjonsnummer: parent.organisasjonsnummer,
    organisasjonsform: form,
    dato: '2026-07-03',
  })
  return {
    ...top,
    organisasjonsform: form,
    children: [
      {
        ...under(top, 1, fish),
        grunnlag: '60,5%',
        children: [
          {
            ...under(fish, 2, { navn: 'TINDEVÅG FRYSERI AS', organisasjonsnummer: SAMPLE.subsidiary }),
            grunnlag: '100%',
          },
          {
            ...under(fish, 2, { navn: 'NORDHAVN LOGISTIKK AS', organisasjonsnummer: SAMPLE.partOwned }),
            grunnlag: 'Bestemmende innflytelse',
          },
        ],
      },
    ],
  }
}
