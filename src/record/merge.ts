import { isOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import type { Provenance } from '#src/sources/descriptor.ts'
import { isArchive, keptOf } from '#src/sources/index.ts'
import { correspondences } from '#src/sources/klass/industry-codes.ts'
import type { Parts } from './parts.ts'
import { failureReason } from './provenance.ts'
import { type Bedrift, isShown } from './record.ts'
import { muligSammePerson as samePersons } from './same-person.ts'
import { foretakOf, type Unit } from './sections/foretak.ts'
import type { OverordnetEnhet } from './sections/overordnet-enhet.ts'
import { type SectionFacts, type SectionName, type ShownName, sections } from './sections.ts'
import type { Kilde, Section } from './state.ts'
import { notFound, notRelevant, type Stated, shown, unavailable } from './stated.ts'

/** A fault of our own code, in one section: it is shown as unavailable, and this is told why. */
export type OnFault = (section: SectionName, error: unknown) => void

/**
 * Puts one company together. Pure: the same parts give the same record.
 * A section that could not be had says so and leaves the others as they are (P1, P2), and so does one that could not be made
 * of what was had (P42).
 */
export function merge(parts: Parts, onFault: OnFault = rethrow): Bedrift {
  const { unit, parent } = parts
  const own: Partial<Record<SectionName, Section<unknown>>> = {}
  const kilder: Partial<Record<SectionName, Kilde>> = {}
  const unitAddress = parts.addresses(parts.unitFrom, unit.value.organisasjonsnummer)
  let isAllMade = true
  for (const each of prepared) {
    const stated = statedOf(each.section, parts, onFault)
    if (stated.tilstand === 'utilgjengelig') isAllMade = false
    if (each.isShown) own[each.section.name] = shown(stated)
    kilder[each.section.name] = kilde(each, stated, { parts, unitAddress })
  }
  // The schema and the makers are one list: what each makes is what is promised under its name.
  const { overordnetEnhet, ...others } = own as Pick<Bedrift, Exclude<ShownName, 'overordnetEnhet'>> & {
    overordnetEnhet: Section<OverordnetEnhet>
  }

  /** A comparison of sections that could not be made is null, and the record is not whole. */
  function compared<T>(section: SectionName, make: () => T): T | null {
    try {
      return make()
    } catch (error) {
      onFault(section, error)
      isAllMade = false
      return null
    }
  }

  const muligSammePerson = compared('roller', () => mulig(others))
  return {
    ...foretakOf(unit.value),
    komplett: isAllMade,
    overordnetEnhet: { organisasjonsnummer: parent?.organisasjonsnummer ?? null, ...overordnetEnhet },
    ...others,
    muligSammePerson,
    kilder: kilder as Record<SectionName, Kilde>,
  }
}

type Prepared = { section: SectionFacts; isShown: boolean; provenance: Provenance }

/** What is the same of a section in every record. */
const prepared: readonly Prepared[] = sections.map((section) => ({
  section,
  isShown: isShown(section),
  provenance: provenanceOf(section.of),
}))

function statedOf(section: SectionFacts, parts: Parts, onFault: OnFault): Stated<unknown> {
  try {
    return ruledOut(section, parts.unit.value) ?? section.make(parts)
  } catch (error) {
    onFault(section.name, error)
    return unavailable(failureReason('intern_feil'))
  }
}

/** What a section says of a unit that it is not about, whatever was answered. */
function ruledOut({ ofSubUnit, ofDeleted }: SectionFacts, unit: Unit): Stated<never> | null {
  if (unit.respons_klasse === 'Underenhet')
    return ofSubUnit === 'shown' ? null : notRelevant('gjelder_overordnet_enhet')
  if (unit.respons_klasse !== 'SlettetEnhet' || ofDeleted === 'shown') return null
  if (ofDeleted === 'ended') return notRelevant('foretaket_er_slettet')
  // Of a deleted unit little is shown; what is, is not left out.
  return ofDeleted(unit) ? null : notFound('foretaket_er_slettet')
}

/** null: there is nothing to compare. */
function mulig({
  roller,
  aksjonaerer,
  eierskap,
}: Pick<Bedrift, 'roller' | 'aksjonaerer' | 'eierskap'>): Bedrift['muligSammePerson'] {
  const shares = [aksjonaerer.data, eierskap.data].filter((data) => data !== null)
  return roller.data === null || shares.length === 0 ? null : samePersons(roller.data, shares)
}

function rethrow(_: SectionName, error: unknown): never {
  throw error
}

function kilde(
  { section, provenance }: Prepared,
  { tilstand, gjelderPer, hentet, arsak, avvik }: Stated<unknown>,
  about: About,
): Kilde {
  return {
    ...provenance,
    adresse: tilstand === 'ikke_relevant' ? null : addressOf(section.of, about),
    gjelderPer,
    hentet: hentet?.toISOString() ?? null,
    tilstand,
    arsak,
    avvik,
  }
}

/** `unitAddress`: written once, for the sections that are cut from the unit's own answer. */
type About = { parts: Parts; unitAddress: string }

function provenanceOf(of: SectionFacts['of']): Provenance {
  if (of === 'klass') return correspondences.provenance
  return keptOf(of === 'parent' ? 'enhet' : of).provenance
}

/** Where a section was asked for; null for what is made of files, and for a parent that nobody names. */
function addressOf(of: SectionFacts['of'], { parts, unitAddress }: About): string | null {
  const { unit, parent, addresses } = parts
  if (of === 'enhet') return unitAddress
  if (of === 'parent') {
    const above = parent?.organisasjonsnummer ?? null
    return above !== null && isOrganisasjonsnummer(above) ? addresses('enhet', above) : null
  }
  return isArchive(of) || of === 'sok' ? null : addresses(of, unit.value.organisasjonsnummer)
}
