import { adresserOf } from '#src/record/sections/adresser.ts'
import { foretakOf, type Unit } from '#src/record/sections/foretak.ts'
import { fullmaktOf } from '#src/record/sections/fullmakt.ts'
import { konsernOf } from '#src/record/sections/konsern.ts'
import { naeringOf } from '#src/record/sections/naering.ts'
import type { KnownAccounts } from '#src/record/sections/regnskap/known-accounts.ts'
import { type Aarsregnskap, regnskapOf } from '#src/record/sections/regnskap.ts'
import { type Rolle, rollerOf } from '#src/record/sections/roller.ts'
import { rollerIAndreForetakOf } from '#src/record/sections/roller-i-andre-foretak.ts'
import { statusOf } from '#src/record/sections/status.ts'
import { underenheterOf } from '#src/record/sections/underenheter.ts'
import type { ShareHistory } from '#src/record/share-history.ts'
import type { RegisterFullmakt } from '#src/sources/fullmakt/schema.ts'
import type { KeptSource, SourceValues, ToldSource } from '#src/sources/index.ts'
import type { Answer } from '#src/sources/source.ts'
import { type Fact, type Facts, isFacts, type Look } from './fact.ts'
import { sortedLists } from './items.ts'

export function isTold(source: KeptSource): source is ToldSource {
  return Object.hasOwn(looks, source)
}

/**
 * What an answer says of its company; null: nothing that could be compared. Of what is made by us or by others (which kind an
 * announcement is, ratios, codes in other code sets, ids of people) nothing is told, nor of when and where it was found, in
 * which order it stands, or how it was had. Who holds shares is not among the facts, so nobody is there who may be hidden.
 */
export function lookAt(source: ToldSource, orgnr: string, answer: Answer<unknown>): Look | null {
  if (answer.outcome !== 'found' && answer.outcome !== 'absent') return null
  const look = looks[source] as (value: unknown, about: About) => Look | null
  const value = answer.outcome === 'found' ? answer.value : null
  const seen = look(value, { orgnr, avvik: answer.outcome === 'found' ? answer.avvik : [] })
  return seen === null ? null : { ...seen, facts: sortedLists(storable(seen.facts) as Facts) }
}

type About = { orgnr: string; avvik: readonly string[] }

/** Each is given what was found, or null where the source said that it has nothing. */
const looks: { [Name in ToldSource]: (value: Values[Name] | null, about: About) => Look | null } = {
  enhet: unitLook,
  underenhet: unitLook,
  roller: (value, about) => {
    if (value === null) return section('roller', null, about)
    const { tidligere: _over, uavklart, ...lists } = rollerOf(value)
    // Whoever may have left has not been seen to leave.
    return section('roller', rolesIn(lists), about, uavklart.length > 0)
  },
  signatur: (value, about) => section('signatur', value && authority(value), about),
  prokura: (value, about) => section('prokura', value && authority(value), about),
  regnskap: (value, about) =>
    section('regnskap', value && accounts(value), about, value !== null && !value.isArchiveRead),
  kunngjoringer: (value, about) =>
    section(
      'kunngjoringer',
      { kunngjoringer: value?.map(({ dato, tittel, lenke }) => ({ dato, tittel, lenke })) ?? [] },
      about,
    ),
  konsern: (value, about) => section('konsern', value && group(value, about), about),
  underenheter: (value, about) => section('underenheter', value && { alle: subUnits(value) }, about),
  rollerIAndreForetak: (value, about) =>
    section(
      'rollerIAndreForetak',
      value && { alle: rollerIAndreForetakOf(value, true).alle },
      about,
      value !== null && !value.erAlle,
    ),
  regnskapskopier: (value, about) =>
    section(
      'regnskapskopier',
      { kopier: value?.aar.map((aar) => ({ aar })) ?? [] },
      about,
      value !== null && !value.erAlle,
    ),
  aksjonaerer: (value, about) => section('aksjonaerer', value && shares(value), about),
}

type Values = Omit<SourceValues, 'regnskap'> & { regnskap: KnownAccounts; aksjonaerer: ShareHistory }

function section(name: string, data: unknown, { avvik }: About, isPartial = false): Look {
  return {
    facts: { [name]: { data: data as Fact } },
    inDoubt: isPartial || avvik.length > 0 ? [name] : [],
  }
}

/** Of a company the register does not know there is no record that could change. */
function unitLook(unit: Unit | null, { avvik }: About): Look | null {
  if (unit === null) return null
  const {
    organisasjonsnummer: _,
    // Follow the count, month after month.
    registreringsdatoAntallAnsatteEnhetsregisteret: __,
    registreringsdatoAntallAnsatteNAVAaregisteret: ___,
    antallAnsatte,
    ...own
  } = foretakOf(unit)
  const known = antallAnsatte.opplysning === 'ukjent' ? { antall: null, opplysning: null } : antallAnsatte
  const facts = {
    ...own,
    antallAnsatte: known,
    overordnetEnhet: { organisasjonsnummer: unit.overordnetEnhet ?? null },
    adresser: { data: adresserOf(unit) },
    ...(unit.respons_klasse !== 'Underenhet' && { status: { data: proceedings(unit) } }),
    naering: { data: industry(unit) },
  }
  // Of a deleted unit little is told: what is not, is not known to have changed.
  const inDoubt =
    unit.respons_klasse === 'SlettetEnhet' ? ['', 'adresser', 'status', 'naering'] : avvik.flatMap(partOf)
  return { facts: facts as Facts, inDoubt: [...new Set(inDoubt)] }
}

/** The part of the record that a place in the unit's answer is shown in. */
function partOf(place: string): string[] {
  const [, name = ''] = place.split('/')
  if (ADDRESSES.has(name)) return ['adresser']
  if (INDUSTRY.has(name)) return ['naering']
  return name === '' ? ['', 'adresser', 'status', 'naering'] : ['', 'status']
}

const ADDRESSES: ReadonlySet<string> = new Set([
  'forretningsadresse',
  'postadresse',
  'beliggenhetsadresse',
  'utenlandskRegisterAdresse',
])
const INDUSTRY: ReadonlySet<string> = new Set([
  'naeringskode1',
  'naeringskode2',
  'naeringskode3',
  'hjelpeenhetskode',
  'aktivitet',
  'vedtektsfestetFormaal',
])

/** The state follows from the others. */
function proceedings(unit: Exclude<Unit, { respons_klasse: 'Underenhet' }>) {
  const { foretakstilstand: _, ...facts } = statusOf(unit)
  return facts
}

function industry(unit: Unit) {
  const { naeringskoder, ...others } = naeringOf(unit, null)
  return { naeringskoder: naeringskoder?.map(({ sn2007: _, ...code }) => code) ?? null, ...others }
}

type Roles = null | Rolle[] | { [name: string]: Roles }

function rolesIn(roles: Roles): Fact {
  if (roles === null) return null
  if (Array.isArray(roles)) return roles.map(roleFacts)
  return Object.fromEntries(Object.entries(roles).map(([name, below]) => [name, rolesIn(below)]))
}

function roleFacts(role: Rolle): Fact {
  // The group's date moves with any of its roles, and the order with whoever comes before.
  const { gruppeSistEndret: _, rekkefolge: __, gjeldende: ___, rolleinnehaver, ...own } = role
  return { ...own, rolleinnehaver: withoutId(rolleinnehaver) } as Fact
}

function withoutId(holder: Rolle['rolleinnehaver']) {
  if (holder.type !== 'person') return holder
  const { personId: _, ...who } = holder
  return who
}

function authority(value: RegisterFullmakt): Fact {
  const { rutine: _, kombinasjonStatus: __, ...facts } = fullmaktOf(value)
  return withoutIds(facts as unknown as Fact)
}

function withoutIds(fact: Fact): Fact {
  if (Array.isArray(fact)) return fact.map(withoutIds)
  if (!isFacts(fact)) return fact
  return Object.fromEntries(
    Object.entries(fact).flatMap(([name, below]) => (name === 'personId' ? [] : [[name, withoutIds(below)]])),
  )
}

/** Of a period what stands; what it replaced, the ratios, and from where it is shown, follow from that. */
function accounts(value: KnownAccounts) {
  return {
    aar: regnskapOf(value).aar.map(({ periode, selskap, konsern }) => ({
      periode,
      selskap: selskap && figures(selskap),
      konsern: konsern && figures(konsern),
    })),
  }
}

function figures({ arkiv: _, forholdstall: __, nokkeltall, ...filing }: Aarsregnskap) {
  return {
    ...filing,
    nokkeltall: Object.fromEntries(Object.entries(nokkeltall).map(([name, { belop }]) => [name, { belop }])),
  }
}

function group(value: Values['konsern'], { orgnr, avvik }: About) {
  const answer = { outcome: 'found' as const, value, avvik: [...avvik], fetchedAt: new Date(0) }
  const { data } = konsernOf({
    konsern: answer,
    eierskap: { outcome: 'not_imported' },
    unit: { ...answer, value: { organisasjonsnummer: orgnr } as Unit },
    alone: null,
  } as Parameters<typeof konsernOf>[0])
  if (data === null) return null
  const { konsernspiss, over, under } = data
  return { konsernspiss, over, under }
}

/** How many work in each changes every month, and is told of the company as a whole. */
function subUnits(value: Values['underenheter']) {
  return underenheterOf(value, true).alle?.map(({ antallAnsatte: _, ...unit }) => unit) ?? null
}

function shares({ leveranser, nyeste }: ShareHistory) {
  return {
    aar: leveranser.aar[0] ?? null,
    foretaket: nyeste === null ? 'ikke_funnet' : 'funnet',
    aksjerTotalt: nyeste?.aksjerTotalt ?? null,
    aksjerSum: nyeste?.aksjerSum ?? null,
    innehavere: nyeste?.innehavere ?? null,
  }
}

/** PostgreSQL's JSON holds neither NUL nor halves of letters. */
function storable(fact: Fact | undefined): Fact {
  if (typeof fact === 'string') return fact.replaceAll('\0', ' ').toWellFormed()
  if (Array.isArray(fact)) return fact.map(storable)
  if (!isFacts(fact)) return fact ?? null
  return Object.fromEntries(Object.entries(fact).map(([name, below]) => [storable(name), storable(below)]))
}
