import type { Part } from './eierskap.ts'

type BodsEntity = {
  isComponent: boolean
  entityType: { type: 'registeredEntity' | 'stateBody' | 'unknownEntity' }
  unspecifiedEntityDetails?: Unspecified
  name?: string
  jurisdiction?: { name: string; code: string }
  identifiers?: { scheme: 'NO-BRC'; schemeName: string; id: string }[]
  addresses?: { country: { name: string; code: string } }[]
}

type BodsPerson = {
  isComponent: boolean
  personType: 'knownPerson' | 'anonymousPerson' | 'unknownPerson'
  unspecifiedPersonDetails?: Unspecified
  names?: { type: 'legal'; fullName: string }[]
  birthDate?: string
}

type Unspecified = {
  reason: 'interestedPartyExemptFromDisclosure' | 'informationUnknownToPublisher'
  description: string
}

export type DescribedParty =
  | { recordType: 'entity'; recordDetails: BodsEntity }
  | { recordType: 'person'; recordDetails: BodsPerson }

/** One party as a record of BODS 0.4. Whoever is hidden is somebody, without a name or a year. */
export function describedParty(part: Part): DescribedParty {
  return part.type === 'person'
    ? { recordType: 'person', recordDetails: person(part) }
    : { recordType: 'entity', recordDetails: entity(part) }
}

function person({ navn, fodselsaar, skjult }: Part): BodsPerson {
  if (skjult) {
    return {
      isComponent: false,
      personType: 'anonymousPerson',
      unspecifiedPersonDetails: {
        reason: 'interestedPartyExemptFromDisclosure',
        description: 'Personen vises ikke etter eget ønske.',
      },
    }
  }
  const birthDate = fodselsaar === null ? {} : { birthDate: String(fodselsaar).padStart(4, '0') }
  if (navn !== null) {
    return {
      isComponent: false,
      personType: 'knownPerson',
      names: [{ type: 'legal', fullName: navn }],
      ...birthDate,
    }
  }
  return {
    isComponent: false,
    personType: 'unknownPerson',
    unspecifiedPersonDetails: {
      reason: 'informationUnknownToPublisher',
      description: 'Registeret oppgir ikke navnet.',
    },
    ...birthDate,
  }
}

function entity({ type, navn, organisasjonsnummer, landkode }: Part): BodsEntity {
  const isRegistered = organisasjonsnummer !== null
  const entityType = type === 'offentlig' ? 'stateBody' : isRegistered ? 'registeredEntity' : 'unknownEntity'
  return {
    isComponent: false,
    entityType: { type: entityType },
    ...(entityType === 'unknownEntity'
      ? {
          unspecifiedEntityDetails: {
            reason: 'informationUnknownToPublisher' as const,
            description: 'Registeret oppgir ikke om innehaveren er en person eller et foretak.',
          },
        }
      : {}),
    ...(navn === null ? {} : { name: navn }),
    ...(isRegistered
      ? {
          jurisdiction: { name: 'Norge', code: 'NO' },
          identifiers: [
            { scheme: 'NO-BRC' as const, schemeName: 'Brønnøysundregistrene', id: organisasjonsnummer },
          ],
        }
      : {}),
    ...(landkode !== null && /^[A-Z]{2}$/.test(landkode)
      ? { addresses: [{ country: { name: countries.of(landkode) ?? landkode, code: landkode } }] }
      : {}),
  }
}

const countries = new Intl.DisplayNames(['nb'], { type: 'region' })
