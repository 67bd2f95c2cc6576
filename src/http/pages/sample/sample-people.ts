import type { Fullmakt } from '#src/record/sections/fullmakt.ts'
import type { Rolle, Rolleinnehaver, Roller } from '#src/record/sections/roller.ts'

const board = { kode: 'STYR', beskrivelse: 'Styre' }
const employees = { kode: 'AREP', beskrivelse: 'Representant for de ansatte' }

/** Invented people, none of whom is anybody. */
export const sampleRoles: Roller = {
  dagligLeder: [
    role('DAGL', 'Daglig leder', person('1975-02-09', 'Gøril', 'Nærø', 'Aspås'), {
      gruppe: { kode: 'DAGL', beskrivelse: 'Daglig leder' },
    }),
  ],
  styre: {
    leder: [role('LEDE', 'Styrets leder', person('1968-03-14', 'Åshild', null, 'Øvrebø'))],
    nestleder: [role('NEST', 'Nestleder', person('1971-11-02', 'Bjørn', null, 'Sæther'))],
    medlemmer: [
      role('MEDL', 'Styremedlem', person('1980-06-21', 'Ánte', 'Máhtte', 'Gaup')),
      role('MEDL', 'Styremedlem', person('1990-09-05', 'Ingá', null, 'Løkås'), {
        valgtAv: employees,
        valgtAvAnsatte: true,
      }),
    ],
    varamedlemmer: [role('VARA', 'Varamedlem', person('1985-10-28', 'Håkon', null, 'Bråthen'))],
    observatorer: [],
    andre: [],
  },
  revisor: [
    role('REVI', 'Revisor', company('801056563', 'POLARREVISJON AS', 'Godkjent revisjonsforetak'), {
      gruppe: { kode: 'REVI', beskrivelse: 'Revisor' },
    }),
  ],
  regnskapsforer: [
    role('REGN', 'Regnskapsfører', company('801067670', 'TALLKNUSEREN ØST AS', null), {
      gruppe: { kode: 'REGN', beskrivelse: 'Regnskapsfører' },
    }),
  ],
  innehaver: [],
  deltakere: [],
  bostyrer: [],
  kontaktperson: [],
  ovrige: [],
  tidligere: [],
}

const leads = signatory('Åshild Øvrebø', '1968-03-14', 'LEDE', 'Styrets leder')
const deputy = signatory('Bjørn Sæther', '1971-11-02', 'NEST', 'Nestleder')
const member = signatory('Ánte Máhtte Gaup', '1980-06-21', 'MEDL', 'Styremedlem')

export const sampleSignature: Fullmakt = {
  registrert: true,
  standardisert: true,
  fritekst: 'Styrets leder alene. To styremedlemmer i fellesskap.',
  grunnlag: { kode: 'SF', beskrivelse: 'Signatur funnet' },
  regel: { kode: 'RF', beskrivelse: 'Regel funnet' },
  regelIdent: 'R0012',
  rutine: null,
  kombinasjonStatus: null,
  kombinasjoner: [
    {
      kode: 'R0012',
      tekst: 'Styrets leder alene',
      kombinasjonsId: '1',
      maate: 'alene',
      personer: [leads],
    },
    {
      kode: 'R0012',
      tekst: 'To styremedlemmer i fellesskap',
      kombinasjonsId: '2',
      maate: 'i_fellesskap',
      personer: [deputy, member],
    },
  ],
  personer: [],
  muligeRolleinnehavere: [leads, deputy, member],
}

export const sampleProkura: Fullmakt = {
  registrert: false,
  standardisert: null,
  fritekst: null,
  grunnlag: { kode: 'SI', beskrivelse: 'Ingen prokura registrert' },
  regel: null,
  regelIdent: null,
  rutine: null,
  kombinasjonStatus: null,
  kombinasjoner: [],
  personer: [],
  muligeRolleinnehavere: [],
}

function role(
  kode: string,
  beskrivelse: string,
  rolleinnehaver: Rolleinnehaver,
  more: Partial<Pick<Rolle, 'gruppe' | 'valgtAv' | 'valgtAvAnsatte'>> = {},
): Rolle {
  return {
    rolle: { kode, beskrivelse },
    gruppe: board,
    gruppeSistEndret: '2026-06-30',
    gjeldende: true,
    rolleinnehaver,
    valgtAv: null,
    valgtAvAnsatte: false,
    ansvarsandel: null,
    rekkefolge: null,
    fullmektige: [],
    stadfestetFremtidsfullmakt: null,
    begrensetRettsligHandleevne: null,
    ...more,
  }
}

function person(
  fodselsdato: string,
  fornavn: string,
  mellomnavn: string | null,
  etternavn: string,
): Rolleinnehaver {
  const navn = [fornavn, mellomnavn, etternavn].filter((part) => part !== null).join(' ')
  return { type: 'person', navn, fornavn, mellomnavn, etternavn, fodselsdato, erDoed: false }
}

function company(
  organisasjonsnummer: string,
  navn: string,
  godkjenningsstatus: string | null,
): Rolleinnehaver {
  return {
    type: 'enhet',
    navn,
    organisasjonsnummer,
    organisasjonsform: { kode: 'AS', beskrivelse: 'Aksjeselskap' },
    erSlettet: false,
    godkjenningsstatus,
  }
}

function signatory(navn: string, fodselsdato: string, kode: string, beskrivelse: string) {
  return { navn, fodselsdato, rolle: { kode, beskrivelse }, fritekst: null }
}
