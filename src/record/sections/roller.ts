import { type Static, Type } from 'typebox'
import type {
  Rolle as RegisterRolle,
  Roller as RegisterRoller,
} from '#src/sources/enhetsregisteret/schema.ts'
import { Dato, exactly, Kode, orNull, Tekst } from '../shape.ts'
import { Adresse, adresse } from './adresser.ts'
import { kode } from './foretak.ts'

/** Who holds a role: the register has three shapes for it, and `ukjent` is what fitted none of them. */
export const Rolleinnehaver = Type.Union([
  exactly({
    type: Type.Literal('person'),
    navn: orNull(Tekst),
    fornavn: orNull(Tekst),
    mellomnavn: orNull(Tekst),
    etternavn: orNull(Tekst),
    fodselsdato: orNull(Dato),
    erDod: orNull(Type.Boolean()),
  }),
  exactly({
    type: Type.Literal('enhet'),
    navn: orNull(Tekst),
    organisasjonsnummer: orNull(Tekst),
    organisasjonsform: orNull(Kode),
    erSlettet: orNull(Type.Boolean()),
    godkjenningsstatus: orNull(Tekst),
  }),
  exactly({
    type: Type.Literal('bostyrer'),
    navn: orNull(Tekst),
    erDod: orNull(Type.Boolean()),
    postadresse: orNull(Adresse),
  }),
  exactly({ type: Type.Literal('ukjent'), navn: Type.Null() }),
])
export type Rolleinnehaver = Static<typeof Rolleinnehaver>

export const Rolle = exactly({
  rolle: Kode,
  gruppe: Kode,
  gruppeSistEndret: orNull(
    Type.String({
      format: 'date',
      description: 'Gruppens, ikke rollens: når registeret sist endret noe i gruppen rollen står i.',
    }),
  ),
  gjeldende: orNull(
    Type.Boolean({
      description: 'null: registeret sa verken at rollen er gjeldende eller at den er avsluttet.',
    }),
  ),
  rolleinnehaver: Rolleinnehaver,
  valgtAv: orNull(Kode),
  valgtAvAnsatte: Type.Boolean(),
  ansvarsandel: orNull(exactly({ tekst: Tekst, prosent: orNull(Type.Number()) })),
  rekkefolge: orNull(Type.Integer()),
  fullmektige: Type.Array(exactly({ navn: orNull(Tekst), adresse: Type.Array(Tekst) })),
  stadfestetFremtidsfullmakt: orNull(Type.Boolean()),
  begrensetRettsligHandleevne: orNull(Type.Boolean()),
})
export type Rolle = Static<typeof Rolle>

const Liste = Type.Array(Rolle)

export const Roller = exactly({
  dagligLeder: Liste,
  styre: exactly({
    leder: Liste,
    nestleder: Liste,
    medlemmer: Liste,
    varamedlemmer: Liste,
    observatorer: Liste,
    andre: Liste,
  }),
  revisor: Liste,
  regnskapsforer: Liste,
  innehaver: Liste,
  deltakere: Liste,
  bostyrer: Liste,
  kontaktperson: Liste,
  ovrige: Type.Array(Rolle, { description: 'Alle andre grupper, også koder vi ikke kjenner.' }),
  tidligere: Type.Array(Rolle, { description: 'Roller registeret fortsatt viser, men som er avsluttet.' }),
})
export type Roller = Static<typeof Roller>

/**
 * Sorts the register's groups into the places people look for them. Nothing is dropped: an unknown group lands in
 * `ovrige`, an unknown role on the board in `styre.andre`, and whoever has left in `tidligere` alone (P6).
 */
export function roller(from: RegisterRoller): Roller {
  const sorted: Roller = {
    dagligLeder: [],
    styre: { leder: [], nestleder: [], medlemmer: [], varamedlemmer: [], observatorer: [], andre: [] },
    revisor: [],
    regnskapsforer: [],
    innehaver: [],
    deltakere: [],
    bostyrer: [],
    kontaktperson: [],
    ovrige: [],
    tidligere: [],
  }
  for (const group of from.rollegrupper) {
    for (const each of group.roller ?? []) {
      const role: Rolle = {
        rolle: { kode: each.type.kode, beskrivelse: each.type.beskrivelse ?? null },
        gruppe: { kode: group.type.kode, beskrivelse: group.type.beskrivelse ?? null },
        gruppeSistEndret: group.sistEndret ?? null,
        ...rolle(each),
      }
      place(role, sorted).push(role)
    }
  }
  return sorted
}

function place(role: Rolle, sorted: Roller): Rolle[] {
  if (role.gjeldende === false) return sorted.tidligere
  if (role.gruppe.kode === 'STYR') return sorted.styre[seats.get(role.rolle.kode) ?? 'andre']
  return sorted[groups.get(role.gruppe.kode) ?? 'ovrige']
}

const seats = new Map<string, keyof Roller['styre']>([
  ['LEDE', 'leder'],
  ['NEST', 'nestleder'],
  ['MEDL', 'medlemmer'],
  ['VARA', 'varamedlemmer'],
  ['OBS', 'observatorer'],
])

const groups = new Map<string, Exclude<keyof Roller, 'styre' | 'tidligere'>>([
  ['DAGL', 'dagligLeder'],
  ['REVI', 'revisor'],
  ['REGN', 'regnskapsforer'],
  ['INNH', 'innehaver'],
  ['DELT', 'deltakere'],
  ['BOBE', 'bostyrer'],
  ['KONT', 'kontaktperson'],
])

function rolle(from: RegisterRolle): Omit<Rolle, 'rolle' | 'gruppe' | 'gruppeSistEndret'> {
  return {
    gjeldende: gjeldende(from),
    rolleinnehaver: rolleinnehaver(from),
    valgtAv: kode(from.valgtAv),
    // Most `valgtAv` are share classes (A-AK, B-AK, …); only this one is the employees.
    valgtAvAnsatte: from.valgtAv?.kode === 'AREP',
    ansvarsandel:
      from.ansvarsandel === undefined
        ? null
        : { tekst: from.ansvarsandel, prosent: andelIProsent(from.ansvarsandel) },
    rekkefolge: from.rekkefolge ?? null,
    fullmektige: (from.fullmektige ?? []).map(({ navn, adresse }) => ({
      navn: navn ?? null,
      adresse: adresse ?? [],
    })),
    stadfestetFremtidsfullmakt: from.stadfestetFremtidsfullmakt ?? null,
    begrensetRettsligHandleevne: from.begrensetRettsligHandleevne ?? null,
  }
}

/** Until June 2026 `fratraadt` marked who had left, since then only `avregistrert` does. Either one ends the role (P6). */
function gjeldende({ avregistrert, fratraadt }: RegisterRolle): boolean | null {
  if (avregistrert === true || fratraadt === true) return false
  if (avregistrert === undefined && fratraadt === undefined) return null
  return true
}

function rolleinnehaver({ person, enhet, bostyrer }: RegisterRolle): Rolleinnehaver {
  if (person !== undefined) {
    const { fornavn, mellomnavn, etternavn } = person.navn ?? {}
    return {
      type: 'person',
      navn: wholeName(person.navn),
      fornavn: fornavn ?? null,
      mellomnavn: mellomnavn ?? null,
      etternavn: etternavn ?? null,
      fodselsdato: person.fodselsdato ?? null,
      erDod: person.erDoed ?? null,
    }
  }
  if (enhet !== undefined) {
    return {
      type: 'enhet',
      navn: enhet.navn?.join(' ') ?? null,
      organisasjonsnummer: enhet.organisasjonsnummer ?? null,
      organisasjonsform: kode(enhet.organisasjonsform),
      erSlettet: enhet.erSlettet ?? null,
      godkjenningsstatus: enhet.godkjenningsstatus ?? null,
    }
  }
  if (bostyrer !== undefined) {
    return {
      type: 'bostyrer',
      navn: bostyrer.navn ?? null,
      erDod: bostyrer.erDoed ?? null,
      postadresse: adresse(bostyrer.postadresse),
    }
  }
  return { type: 'ukjent', navn: null }
}

type Name = string | { fornavn?: string; mellomnavn?: string; etternavn?: string } | undefined

function wholeName(name: Name): string | null {
  if (name === undefined || typeof name === 'string') return name ?? null
  return (
    [name.fornavn, name.mellomnavn, name.etternavn].filter((part) => part !== undefined).join(' ') || null
  )
}

/** Free text in the register: "50%", "33,33 %", "1/3". What is not plainly one of these has no number. */
function andelIProsent(text: string): number | null {
  const percent = /^\s*(\d{1,3}(?:[.,]\d{1,8})?)\s*%\s*$/.exec(text)
  if (percent?.[1] !== undefined) return within(Number(percent[1].replace(',', '.')))
  const fraction = /^\s*(\d{1,9})\s*\/\s*(\d{1,9})\s*$/.exec(text)
  if (fraction === null) return null
  return within((100 * Number(fraction[1])) / Number(fraction[2]))
}

function within(percent: number): number | null {
  return percent >= 0 && percent <= 100 ? percent : null
}
