import { isOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import type { Enhet, Roller as RegisterRoller, SlettetEnhet } from '#src/sources/enhetsregisteret/schema.ts'
import type { Fullmakt as RegisterFullmakt } from '#src/sources/fullmakt/schema.ts'
import type { Kunngjoring } from '#src/sources/kunngjoringer/announcements.ts'
import type { Addresses } from '#src/sources/questions.ts'
import type { Answer, SourceFailure } from '#src/sources/source.ts'
import type { Eierskap } from './eierskap/eierskap.ts'
import { identifyPersons, type PersonIds } from './person-ids.ts'
import { failureReason, origins, reason } from './provenance.ts'
import type { Bedrift, SectionName } from './record.ts'
import { muligSammePerson } from './same-person.ts'
import { adresse, adresser, hasAdresse } from './sections/adresser.ts'
import type { Aksjonaerer } from './sections/aksjonaerer.ts'
import { foretak, kode, type Unit } from './sections/foretak.ts'
import { fullmakt } from './sections/fullmakt.ts'
import { kunngjoringer } from './sections/kunngjoringer.ts'
import { hasNaering, type IndustryCodes, naering } from './sections/naering.ts'
import type { KnownAccounts } from './sections/regnskap/known-accounts.ts'
import { newestPeriodEnd, regnskap } from './sections/regnskap.ts'
import { roller } from './sections/roller.ts'
import { status } from './sections/status.ts'
import type { Arsak, Kilde, Tilstand } from './state.ts'

/** An answer, and whether it is an older copy: shown while the source is asked again, or because it failed so. */
export type Heard<T> = Answer<T> & { stale?: { failure: SourceFailure | null } }

/** What became of one call: an answer, or why there is none. */
export type Settled<T> = Heard<T> | Failed
/** `field`: what in the answer was refused, when it was not all of it. */
export type Failed = { outcome: 'failed'; failure: SourceFailure; field?: string | null }
export type Found<T> = Extract<Heard<T>, { outcome: 'found' }>

/** Of an archive that has not been delivered to the service: it says nothing of any company. */
export type NotImported = { outcome: 'not_imported' }

/** Everything one record is made of. `parent` is null when the unit names no parent; its number is when it names one unreadably. */
export type Parts = {
  unit: Found<Unit>
  parent: { organisasjonsnummer: string | null; answer: Settled<Enhet | SlettetEnhet> } | null
  roller: Settled<RegisterRoller>
  signatur: Settled<RegisterFullmakt>
  prokura: Settled<RegisterFullmakt>
  regnskap: Settled<KnownAccounts>
  kunngjoringer: Settled<Kunngjoring[]>
  aksjonaerer: Settled<Aksjonaerer> | NotImported
  eierskap: Settled<Eierskap> | NotImported
  industryCodes: IndustryCodes
  /** Which of the two the unit was answered by. */
  unitFrom: 'enhet' | 'underenhet'
  addresses: Addresses
  personIds: PersonIds
}

/** A fault of our own code, in one section: it is shown as unavailable, and this is told why. */
export type OnFault = (section: SectionName, error: unknown) => void

/**
 * Puts one company together. Pure: the same parts give the same record.
 * A section that could not be had says so and leaves the others as they are (P1, P2), and so does one that could not be made
 * of what was had (P42).
 */
export function merge(parts: Parts, onFault: OnFault = rethrow): Bedrift {
  const { unit, industryCodes, personIds } = parts
  const kind = unit.value.respons_klasse
  const main = kind === 'Underenhet' ? null : unit.value
  const belongsToParent = kind === 'Underenhet' ? notRelevant('gjelder_overordnet_enhet') : null
  const endedWithDeletion = kind === 'SlettetEnhet' ? notRelevant('foretaket_er_slettet') : null
  /** Of a deleted unit little is shown; what is, is not left out. */
  const ofDeleted = (isStated: (unit: Unit) => boolean) =>
    kind === 'SlettetEnhet' && !isStated(unit.value) ? notFound('foretaket_er_slettet') : null

  function made<D>(section: SectionName, make: () => Stated<D>): Stated<D> {
    try {
      return make()
    } catch (error) {
      onFault(section, error)
      return unavailable(failureReason('intern_feil'))
    }
  }

  const sections = {
    overordnetEnhet: made('overordnetEnhet', () => parent(parts)),
    adresser: made('adresser', () => ofDeleted(hasAdresse) ?? same(unit, adresser(unit.value))),
    status: made('status', () =>
      main === null ? notRelevant('gjelder_overordnet_enhet') : same(unit, status(main)),
    ),
    roller: made(
      'roller',
      () =>
        belongsToParent ??
        endedWithDeletion ??
        answered(parts.roller, (value) => identifyPersons(roller(value), personIds)),
    ),
    signatur: made(
      'signatur',
      () =>
        belongsToParent ??
        endedWithDeletion ??
        answered(parts.signatur, (value) => identifyPersons(fullmakt(value), personIds), lookedUpAt),
    ),
    prokura: made(
      'prokura',
      () =>
        belongsToParent ??
        endedWithDeletion ??
        answered(parts.prokura, (value) => identifyPersons(fullmakt(value), personIds), lookedUpAt),
    ),
    naering: made('naering', () => ofDeleted(hasNaering) ?? same(unit, naering(unit.value, industryCodes))),
    regnskap: made('regnskap', () => belongsToParent ?? accounts(parts.regnskap, unit.value)),
    kunngjoringer: made(
      'kunngjoringer',
      () => belongsToParent ?? answered(parts.kunngjoringer, kunngjoringer),
    ),
    aksjonaerer: made('aksjonaerer', () => belongsToParent ?? archived(parts.aksjonaerer)),
    eierskap: made('eierskap', () => belongsToParent ?? archived(parts.eierskap)),
  }
  const states = {
    enhet: same(unit, null),
    ...sections,
    sn2007: made('sn2007', () => ofDeleted(hasNaering) ?? sn2007(industryCodes)),
  }

  const asked = addressesOf(parts)

  return {
    ...foretak(unit.value),
    komplett: Object.values(states).every(({ tilstand }) => tilstand !== 'utilgjengelig'),
    overordnetEnhet: {
      organisasjonsnummer: parts.parent?.organisasjonsnummer ?? null,
      ...shown(sections.overordnetEnhet),
    },
    adresser: shown(sections.adresser),
    status: shown(sections.status),
    roller: shown(sections.roller),
    signatur: shown(sections.signatur),
    prokura: shown(sections.prokura),
    naering: shown(sections.naering),
    regnskap: shown(sections.regnskap),
    kunngjoringer: shown(sections.kunngjoringer),
    aksjonaerer: shown(sections.aksjonaerer),
    eierskap: shown(sections.eierskap),
    muligSammePerson: mulig(sections),
    kilder: Object.fromEntries(
      Object.entries(states).map(([name, state]) => [name, kilde(name as SectionName, state, asked)]),
    ) as Record<SectionName, Kilde>,
  }
}

/** null: there is nothing to compare. */
function mulig({
  roller,
  aksjonaerer,
  eierskap,
}: Record<'roller' | 'aksjonaerer' | 'eierskap', Stated<unknown>>): Bedrift['muligSammePerson'] {
  const shares = [aksjonaerer.data, eierskap.data].filter((data) => data !== null)
  return roller.data === null || shares.length === 0 ? null : muligSammePerson(roller.data, shares)
}

function rethrow(_: SectionName, error: unknown): never {
  throw error
}

/** One section with all that will be said of it. `data` is null whenever the state says there is none. */
type Stated<D> = {
  tilstand: Tilstand
  data: D | null
  gjelderPer: string | null
  hentet: Date | null
  arsak: Arsak | null
  avvik: string[]
}

function answered<V, D>(
  settled: Settled<V>,
  toData: (value: V) => D,
  asOf: (value: V) => string | null = () => null,
): Stated<D> {
  switch (settled.outcome) {
    case 'found': {
      const { value, fetchedAt, avvik, stale } = settled
      const gjelderPer = asOf(value) ?? fetchedAt.toISOString()
      const tilstand = stale === undefined ? 'fersk' : 'utdatert'
      return {
        tilstand,
        data: toData(value),
        gjelderPer,
        hentet: fetchedAt,
        arsak: staleReason(stale),
        avvik,
      }
    }
    case 'absent':
      return {
        ...notFound('ingen_hos_kilden'),
        hentet: settled.fetchedAt,
        gjelderPer: settled.fetchedAt.toISOString(),
      }
    case 'removed':
      return { ...notFound('fjernet_hos_kilden'), hentet: settled.fetchedAt }
    case 'unsupported':
      return { ...unavailable(failureReason('feilstatus')), hentet: settled.fetchedAt }
    case 'failed':
      return refused(settled)
  }
}

/** What was refused is named: a place in the answer, or all of it. */
function refused({ failure, field = null }: Failed): Stated<never> {
  const avvik = field === null ? [] : [field === '' ? '(hele svaret)' : field]
  return { ...unavailable(failureReason(failure)), avvik }
}

function staleReason(stale: Heard<unknown>['stale']): Arsak | null {
  if (stale === undefined) return null
  return stale.failure === null ? reason('fornyes') : failureReason(stale.failure)
}

/** Sections cut from the unit's own answer share its times. */
function same<D>(unit: Found<Unit>, data: D): Stated<D> {
  return answered(unit, () => data)
}

/**
 * Banks and insurers get HTTP 500 for good; with the general error text only their form or industry tells it from an outage.
 * Years from the archive that the register does not give itself are never shown as fresh.
 */
function accounts(settled: Settled<KnownAccounts>, unit: Unit): Stated<Bedrift['regnskap']['data']> {
  if (settled.outcome === 'unsupported' && (settled.certain || isBankOrInsurer(unit))) {
    return { ...notRelevant('oppstillingsplan_ikke_stottet'), hentet: settled.fetchedAt }
  }
  const stated = answered(settled, regnskap, newestPeriodEnd)
  const withoutLive = settled.outcome === 'found' ? settled.value.withoutLive : null
  if (withoutLive === null) return stated
  return { ...stated, tilstand: 'utdatert', arsak: stated.arsak ?? whyWithoutLive(withoutLive, unit) }
}

function whyWithoutLive(withoutLive: NonNullable<KnownAccounts['withoutLive']>, unit: Unit): Arsak {
  if (withoutLive === 'absent') return reason('ingen_hos_kilden_na')
  if (withoutLive === 'unsupported' || isBankOrInsurer(unit)) return reason('oppstillingsplan_ikke_stottet')
  return failureReason('feilstatus')
}

function isBankOrInsurer(unit: Unit): boolean {
  const codes = [unit.naeringskode1, unit.naeringskode2, unit.naeringskode3]
  return (
    FINANCIAL_FORMS.has(unit.organisasjonsform?.kode ?? '') ||
    codes.some((each) => /^(64\.1|65\.)/.test(each?.kode ?? ''))
  )
}

/** Savings bank, mutual insurer, pension fund, securities fund. */
const FINANCIAL_FORMS: ReadonlySet<string> = new Set(['SPA', 'GFS', 'PK', 'VPFO'])

/** Holdings are those of one day, whenever the file came. */
function archived<D extends { gjelderPer: string }>(part: Settled<D> | NotImported): Stated<D> {
  if (part.outcome === 'not_imported') return notImported
  if (part.outcome === 'absent') return { ...notFound('ikke_i_aksjonaerregisteret'), hentet: part.fetchedAt }
  return answered(
    part,
    (data) => data,
    ({ gjelderPer }) => gjelderPer,
  )
}

function parent({ unit, parent }: Parts): Stated<Bedrift['overordnetEnhet']['data']> {
  if (parent === null) return { ...notFound('ingen_overordnet_enhet'), hentet: unit.fetchedAt }
  return answered(parent.answer, (value) => ({
    organisasjonsnummer: value.organisasjonsnummer,
    navn: value.navn ?? null,
    organisasjonsform: kode(value.organisasjonsform),
    slettedato: value.respons_klasse === 'SlettetEnhet' ? (value.slettedato ?? null) : null,
    foretakstilstand: status(value).foretakstilstand,
    forretningsadresse: adresse(value.forretningsadresse),
  }))
}

function sn2007(codes: IndustryCodes): Stated<null> {
  if (codes === null) return unavailable(reason('ikke_hentet'))
  const hentet = codes.loadedAt
  const tilstand = codes.isFresh ? 'fersk' : 'utdatert'
  const { avvik } = codes
  return { tilstand, data: null, gjelderPer: hentet.toISOString(), hentet, arsak: null, avvik }
}

/** The service answers as of the look-up; its time has no zone and is Norwegian, so only the day is repeated. */
function lookedUpAt(value: RegisterFullmakt): string | null {
  const day = /^\d{4}-\d{2}-\d{2}/.exec(value.oppslagsData?.oppslagsTidspunkt ?? '')
  return day === null ? null : day[0]
}

const without = { data: null, gjelderPer: null, hentet: null, avvik: [] }

function unavailable(arsak: Arsak): Stated<never> {
  return { tilstand: 'utilgjengelig', ...without, arsak }
}

function notFound(kode: Parameters<typeof reason>[0]): Stated<never> {
  return { tilstand: 'ikke_funnet', ...without, arsak: reason(kode) }
}

function notRelevant(kode: Parameters<typeof reason>[0]): Stated<never> {
  return { tilstand: 'ikke_relevant', ...without, arsak: reason(kode) }
}

const notImported: Stated<never> = {
  tilstand: 'ikke_importert',
  ...without,
  arsak: reason('arkiv_ikke_importert'),
}

function shown<D>({ tilstand, data }: Stated<D>): { tilstand: Tilstand; data: D | null } {
  return { tilstand, data }
}

function kilde(
  name: SectionName,
  { tilstand, gjelderPer, hentet, arsak, avvik }: Stated<unknown>,
  asked: Record<SectionName, string | null>,
): Kilde {
  const adresse = tilstand === 'ikke_relevant' ? null : asked[name]
  const { kildeId, kilde, lisens } = origins[name]
  return {
    kildeId,
    kilde,
    lisens,
    adresse,
    gjelderPer,
    hentet: hentet?.toISOString() ?? null,
    tilstand,
    arsak,
    avvik,
  }
}

/** Where each section was asked for; null for what is made of files, and for a parent that nobody names. */
function addressesOf({ unit, unitFrom, parent, addresses }: Parts): Record<SectionName, string | null> {
  const { organisasjonsnummer } = unit.value
  const about = (source: Parameters<Addresses>[0]) => addresses(source, organisasjonsnummer)
  const own = about(unitFrom)
  const above = parent?.organisasjonsnummer ?? null
  return {
    enhet: own,
    overordnetEnhet: above !== null && isOrganisasjonsnummer(above) ? addresses('enhet', above) : null,
    adresser: own,
    status: own,
    roller: about('roller'),
    signatur: about('signatur'),
    prokura: about('prokura'),
    naering: own,
    sn2007: about('klass'),
    regnskap: about('regnskap'),
    kunngjoringer: about('kunngjoringer'),
    aksjonaerer: null,
    eierskap: null,
  }
}
