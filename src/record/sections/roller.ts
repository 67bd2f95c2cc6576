import { type Static, Type } from 'typebox'
import { readable } from '#src/sources/believe.ts'
import type { RegisterRolle, RegisterRoller } from '#src/sources/enhetsregisteret/schema.ts'
import { Dato, exactly, Kode, orNull, PersonId, Tekst } from '../shape.ts'
import { Adresse, adresseOf, linjer } from './adresser.ts'
import { kodeOf } from './foretak.ts'

/** Who holds a role: the register has three shapes for it, and `ukjent` is what fitted none of them. */
export const Rolleinnehaver = Type.Union([
  exactly({
    type: Type.Literal('person'),
    personId: PersonId,
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
  rolle: orNull(Kode),
  gruppe: orNull(Kode),
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
  valgtAvAnsatte: orNull(Type.Boolean()),
  ansvarsandel: orNull(exactly({ tekst: Tekst, prosent: orNull(Type.Number()) })),
  rekkefolge: orNull(Type.Integer()),
  fullmektige: orNull(Type.Array(exactly({ navn: orNull(Tekst), adresse: orNull(Type.Array(Tekst)) }))),
  stadfestetFremtidsfullmakt: orNull(Type.Boolean()),
  begrensetRettsligHandleevne: orNull(Type.Boolean()),
})
export type Rolle = Static<typeof Rolle>

const Liste = orNull(Type.Array(Rolle))

export const Roller = exactly(
  {
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
    ovrige: orNull(Type.Array(Rolle, { description: 'Alle andre grupper, også koder vi ikke kjenner.' })),
    tidligere: orNull(
      Type.Array(Rolle, { description: 'Roller registeret fortsatt viser, men som er avsluttet.' }),
    ),
    uavklart: Type.Array(Rolle, {
      description:
        'Roller der det ikke kunne leses om de er gjeldende eller avsluttet. De står ikke i noen annen liste.',
    }),
  },
  {
    description:
      'En tom liste sier at registeret ikke har noen der; null at noe som kan høre til der, ikke kunne leses.',
  },
)
export type Roller = Static<typeof Roller>

/**
 * Sorts the register's groups into the places people look for them. Nothing is dropped: an unknown group lands in
 * `ovrige`, an unknown role on the board in `styre.andre`, whoever has left in `tidligere` alone, and where it can not be told
 * whether somebody has left, in `uavklart` alone (P6).
 */
export function rollerOf(from: RegisterRoller): Roller {
  const sorted = {
    ...lists(groups.values()),
    styre: { ...lists(seats.values()), andre: [] as Rolle[] },
    ovrige: [] as Rolle[],
    tidligere: [] as Rolle[],
    uavklart: [] as Rolle[],
  }
  const doubtful = new Set<Rolle[]>()
  for (const group of from.rollegrupper) {
    const held = group?.roller ?? [null]
    if (held.includes(null)) for (const list of placesOf(group, sorted)) doubtful.add(list)
    for (const each of readable(held) ?? []) {
      const role: Rolle = {
        rolle: kodeOf(each.type),
        gruppe: kodeOf(group?.type),
        gruppeSistEndret: group?.sistEndret ?? null,
        ...rolle(each),
      }
      place(role, sorted).push(role)
      for (const list of otherPlacesOf(role, sorted)) doubtful.add(list)
    }
  }
  return shown(sorted, (list) => (list.length === 0 && doubtful.has(list) ? null : list))
}

type Sorted = Record<Exclude<keyof Roller, 'styre'>, Rolle[]> & {
  styre: Record<keyof Roller['styre'], Rolle[]>
}

function lists<Name extends string>(names: Iterable<Name>): Record<Name, Rolle[]> {
  return Object.fromEntries([...names].map((name) => [name, []])) as unknown as Record<Name, Rolle[]>
}

function place(role: Rolle, sorted: Sorted): Rolle[] {
  if (role.gjeldende === false) return sorted.tidligere
  if (role.gjeldende === null) return sorted.uavklart
  if (role.gruppe?.kode === 'STYR') return sorted.styre[seats.get(role.rolle?.kode ?? '') ?? 'andre']
  return sorted[groups.get(role.gruppe?.kode ?? '') ?? 'ovrige']
}

/** Where what could not be read in a group may have belonged; everywhere, when the group could not be read either. */
function placesOf(group: RegisterRoller['rollegrupper'][number], sorted: Sorted): Rolle[][] {
  const { styre, tidligere, uavklart, ...others } = sorted
  const code = group?.type?.kode
  if (code === undefined) return [...Object.values(styre), ...Object.values(others), tidligere]
  if (code === 'STYR') return [...Object.values(styre), tidligere]
  return [others[groups.get(code) ?? 'ovrige'], tidligere]
}

/** Where a role may have belonged besides: by what could not be read of its place, or of whether it is over. */
function otherPlacesOf(role: Rolle, sorted: Sorted): Rolle[][] {
  const { styre, tidligere, uavklart, ...others } = sorted
  if (role.gjeldende === false) return []
  const group = role.gruppe?.kode
  if (group === undefined) return [...Object.values(styre), ...Object.values(others)]
  if (group === 'STYR' && role.rolle === null) return Object.values(styre)
  return role.gjeldende === null ? [place({ ...role, gjeldende: true }, sorted), tidligere] : []
}

function shown({ styre, uavklart, ...sorted }: Sorted, show: (list: Rolle[]) => Rolle[] | null): Roller {
  const all = <Name extends string>(named: Record<Name, Rolle[]>) =>
    Object.fromEntries(Object.entries<Rolle[]>(named).map(([name, list]) => [name, show(list)])) as Record<
      Name,
      Rolle[] | null
    >
  return { ...all(sorted), styre: all(styre), uavklart }
}

const seats = new Map<string, Exclude<keyof Roller['styre'], 'andre'>>([
  ['LEDE', 'leder'],
  ['NEST', 'nestleder'],
  ['MEDL', 'medlemmer'],
  ['VARA', 'varamedlemmer'],
  ['OBS', 'observatorer'],
])

const groups = new Map<string, Exclude<keyof Roller, 'styre' | 'ovrige' | 'tidligere' | 'uavklart'>>([
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
    valgtAv: kodeOf(from.valgtAv),
    // Most `valgtAv` are share classes (A-AK, B-AK, …); only this one is the employees.
    valgtAvAnsatte: from.valgtAv === null ? null : from.valgtAv?.kode === 'AREP',
    ansvarsandel: ansvarsandelOf(from.ansvarsandel),
    rekkefolge: from.rekkefolge ?? null,
    fullmektige: fullmektige(from.fullmektige),
    stadfestetFremtidsfullmakt: from.stadfestetFremtidsfullmakt ?? null,
    begrensetRettsligHandleevne: from.begrensetRettsligHandleevne ?? null,
  }
}

/** None are stated where there is no list; null where there is one that can not be read. */
function fullmektige(from: RegisterRolle['fullmektige']): Rolle['fullmektige'] {
  if (from === undefined) return []
  return (
    readable(from)?.map(({ navn, adresse }) => ({ navn: navn ?? null, adresse: linjer(adresse) })) ?? null
  )
}

export function ansvarsandelOf(tekst: RegisterRolle['ansvarsandel']): Rolle['ansvarsandel'] {
  return tekst === undefined || tekst === null ? null : { tekst, prosent: andelIProsent(tekst) }
}

/**
 * Until June 2026 `fratraadt` marked who had left, since then only `avregistrert` does. Either one ends the role, and one that
 * can not be read leaves it open (P6): the other alone would make a former holder current.
 */
export function gjeldende({
  avregistrert,
  fratraadt,
}: Pick<RegisterRolle, 'avregistrert' | 'fratraadt'>): boolean | null {
  if (avregistrert === true || fratraadt === true) return false
  if (avregistrert === null || fratraadt === null) return null
  return avregistrert === undefined && fratraadt === undefined ? null : true
}

function rolleinnehaver({ person, enhet, bostyrer }: RegisterRolle): Rolleinnehaver {
  if (person !== undefined && person !== null) {
    const { fornavn, mellomnavn, etternavn } = person.navn ?? {}
    return {
      type: 'person',
      // Given when it is shown: see identifyPersons.
      personId: null,
      navn: wholeName([fornavn, mellomnavn, etternavn]),
      fornavn: fornavn ?? null,
      mellomnavn: mellomnavn ?? null,
      etternavn: etternavn ?? null,
      fodselsdato: person.fodselsdato ?? null,
      erDod: person.erDoed ?? null,
    }
  }
  if (enhet !== undefined && enhet !== null) {
    return {
      type: 'enhet',
      navn: wholeName(enhet.navn ?? []),
      organisasjonsnummer: enhet.organisasjonsnummer ?? null,
      organisasjonsform: kodeOf(enhet.organisasjonsform),
      erSlettet: enhet.erSlettet ?? null,
      godkjenningsstatus: enhet.godkjenningsstatus ?? null,
    }
  }
  if (bostyrer !== undefined && bostyrer !== null) {
    return {
      type: 'bostyrer',
      navn: bostyrer.navn ?? null,
      erDod: bostyrer.erDoed ?? null,
      postadresse: adresseOf(bostyrer.postadresse),
    }
  }
  return { type: 'ukjent', navn: null }
}

/** A name of which a part can not be read is not known as a whole. */
function wholeName(parts: readonly (string | null | undefined)[]): string | null {
  if (parts.includes(null)) return null
  return parts.filter((part) => part !== undefined && part !== '').join(' ') || null
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
