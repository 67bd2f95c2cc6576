import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import {
  type AnswersCatalogue,
  type CompanyAnswers,
  type KlassAnswers,
  okAnswer,
  type RegisterAnswer,
} from '#src/samples/answers.ts'

/** The recorded companies, by what each is there to show. */
export const RECORDED = {
  equinor: '923609016',
  bankrupt: '915330193',
  forcedDissolution: '931744682',
  noted: '935864879',
  removed: '936127088',
  deleted: ['981276957', '989566733'],
  subUnit: '973160834',
  /** The sub-unit's parent. Its accounts are recorded; the unit itself is invented here. */
  bank: '984851006',
  /** Roles in the shape before June 2026; the unit itself is invented here. */
  olderRoles: '974760673',
} as const

/** The answers recorded from the registers are kept beside the project, not in it. */
const FOLDER = fileURLToPath(new URL('../../../shared/upstream/', import.meta.url))

/**
 * The recorded answers as a catalogue for the register stand-in, or null where the folder is absent: then the tests on
 * them are skipped, with a word. What was never recorded is filled in and named: mandates and announcements are the
 * hand-written illustrations with the number replaced, and two units are invented.
 */
export function recordedAnswers(): AnswersCatalogue | null {
  if (!existsSync(FOLDER)) return null
  const unit = (name: string) => okAnswer(json(`enhetsregisteret/${name}.json`))
  const roles = (name: string) => okAnswer(json(`enhetsregisteret/roller-${name}.json`))

  const companies: [string, CompanyAnswers][] = [
    [
      RECORDED.equinor,
      {
        enhet: unit('enhet-923609016-equinor'),
        roller: roles('923609016-equinor-2026-09'),
        signatur: illustrated('fullmakt-signatur.json', RECORDED.equinor),
        prokura: illustrated('fullmakt-prokura-none.json', RECORDED.equinor),
        regnskap: okAnswer(json('regnskap/regnskap-923609016-usd-6filings-2026-10.json')),
        kunngjoringer: illustratedPage(RECORDED.equinor),
        konsern: okAnswer(json('../upstream-sections/konsernstruktur-923609016-equinor-trimmed.json')),
        regnskapskopier: okAnswer(json('../upstream-sections/aarsregnskap-kopi-aar-923609016.json')),
      },
    ],
    [
      RECORDED.bankrupt,
      {
        enhet: unit('enhet-915330193-konkurs'),
        roller: roles('915330193-konkurs-2026-09'),
        kunngjoringer: illustratedPage(RECORDED.bankrupt),
      },
    ],
    [RECORDED.forcedDissolution, { enhet: unit('enhet-931744682-tvangsopplost') }],
    [RECORDED.noted, { enhet: unit('enhet-935864879-paategning') }],
    [RECORDED.removed, { enhet: { ...unit('enhet-936127088-gone-410'), status: 410 } }],
    [RECORDED.deleted[0], { enhet: unit('enhet-981276957-slettet') }],
    [RECORDED.deleted[1], { enhet: unit('enhet-989566733-slettet') }],
    [RECORDED.subUnit, { underenhet: unit('underenhet-973160834') }],
    [
      RECORDED.bank,
      {
        enhet: okAnswer(
          inventedUnit(RECORDED.bank, 'OPPDIKTET BANK ASA', 'ASA', '64.190', 'Banker og kredittforetak'),
        ),
        regnskap: { status: 500, json: json('regnskap/regnskap-984851006-500.json') },
      },
    ],
    [
      RECORDED.olderRoles,
      {
        enhet: okAnswer(
          inventedUnit(
            RECORDED.olderRoles,
            'OPPDIKTET ETAT',
            'ORGL',
            '84.110',
            'Generell offentlig administrasjon',
          ),
        ),
        roller: roles('974760673-brreg-2026-05'),
      },
    ],
    ...searchable(),
  ]
  return { companies: new Map(companies), klass: recordedKlass() }
}

function text(name: string, encoding: 'utf8' | 'latin1' = 'utf8'): string {
  return readFileSync(FOLDER + name, encoding)
}

function json(name: string): unknown {
  return JSON.parse(text(name))
}

/** The illustrations are about 999999999; the service rightly believes no answer about another company. */
function illustrated(name: string, orgnr: string): RegisterAnswer {
  return okAnswer(JSON.parse(text(`illustrative/${name}`).replaceAll('999999999', orgnr)))
}

function illustratedPage(orgnr: string): RegisterAnswer {
  const page = text('illustrative/kunngjoring-hent_nr.latin1.html', 'latin1')
  return { status: 200, html: page.replaceAll('999999999', orgnr) }
}

/** A recorded page of search hits: whole units, so they can be looked up as well. */
function searchable(): [string, CompanyAnswers][] {
  const page = json('enhetsregisteret/sok-asa-size5-2026-03.json') as {
    _embedded: { enheter: { organisasjonsnummer: string }[] }
  }
  return page._embedded.enheter.map((unit) => [unit.organisasjonsnummer, { enhet: okAnswer(unit) }])
}

/** INVENTED, not recorded: the least that the register sends about a unit, around what is recorded of it elsewhere. */
function inventedUnit(
  organisasjonsnummer: string,
  navn: string,
  form: string,
  code: string,
  industry: string,
) {
  const base = 'https://data.brreg.no/enhetsregisteret/api'
  return {
    organisasjonsnummer,
    navn,
    organisasjonsform: {
      kode: form,
      beskrivelse: form,
      _links: { self: { href: `${base}/organisasjonsformer/${form}` } },
    },
    historiskeNavn: [],
    registreringsdatoEnhetsregisteret: '2000-01-01',
    registrertIMvaregisteret: false,
    naeringskode1: { kode: code, beskrivelse: industry },
    harRegistrertAntallAnsatte: false,
    registrertIForetaksregisteret: true,
    registrertIStiftelsesregisteret: false,
    registrertIFrivillighetsregisteret: false,
    registrertIPartiregisteret: false,
    konkurs: false,
    underAvvikling: false,
    underTvangsavviklingEllerTvangsopplosning: false,
    maalform: 'Bokmål',
    aktivitet: [],
    paategninger: [],
    erIKonsern: false,
    _links: { self: { href: `${base}/enheter/${organisasjonsnummer}` } },
    respons_klasse: 'Enhet',
  }
}

/** Names are recorded only for the codes that changed; SN2007's own list is not recorded at all. */
function recordedKlass(): KlassAnswers {
  const correspondence = json('ssb/klass-correspondence-2919.json') as {
    correspondenceMaps: { sourceCode: string; sourceName: string }[]
  }
  const names = new Map(correspondence.correspondenceMaps.map((row) => [row.sourceCode, row.sourceName]))
  const codes = text('ssb/sn2025-codes.txt')
    .split('\n')
    .filter((code) => code !== '')
    .map((code) => ({
      code,
      parentCode: code.length > 2 ? code.slice(0, code.length === 4 ? 2 : -1) : null,
      level: String(code.length > 2 ? code.length - 1 : code.length),
      name: names.get(code) ?? `SN2025 ${code}`,
    }))
  return { correspondence, codeLists: [{ validFrom: '2025-01-01', validTo: null, codes }] }
}
