import { createHash } from 'node:crypto'
import { type DescribedParty, describedParty } from './bods-party.ts'
import type { Eid, Eier, EierI, Eierskap, Part } from './eierskap.ts'

/** A statement of the Beneficial Ownership Data Standard 0.4. */
export type BodsStatement = {
  statementId: string
  statementDate: string
  declarationSubject: string
  recordId: string
  recordStatus: 'new'
  publicationDetails: {
    publicationDate: string
    bodsVersion: '0.4'
    publisher: { name: string; url?: string }
  }
  source: { type: ['officialRegister']; description: string }
} & Described

type Described = DescribedParty | { recordType: 'relationship'; recordDetails: BodsRelationship }

type BodsRelationship = {
  isComponent: boolean
  componentRecords?: string[]
  subject: string
  interestedParty: string
  interests: {
    type: 'shareholding'
    directOrIndirect: 'direct' | 'indirect'
    beneficialOwnershipOrControl: false
    share?: { exact: number }
    details: string
  }[]
}

type BodsPublication = { published?: Date; publisher?: { name: string; url?: string } }

/**
 * The same answer as statements of BODS 0.4 (openownership/data-standard, schema/*.json): first who is mentioned, then every
 * direct holding, last the indirect ones, which list the records they are made of; a component must stand before its whole.
 *
 * Nothing is stated to be beneficial ownership: the register knows shares. A statement's id is a digest of its content, so that
 * it stays the same for as long as the content does.
 */
export function toBods(
  eierskap: Eierskap,
  { published = new Date(), publisher = { name: 'Bedriftsoppslag' } }: BodsPublication = {},
): BodsStatement[] {
  const records = recordsOf(eierskap)
  return [...records.parties.values(), ...records.direct.values(), ...records.indirect].map((record) => {
    const content = {
      statementDate: eierskap.gjelderPer,
      declarationSubject: companyId(eierskap.organisasjonsnummer),
      recordStatus: 'new' as const,
      ...record,
      source: {
        type: ['officialRegister'] as ['officialRegister'],
        description: `Skatteetatens aksjonærregister, beholdning per 31.12.${eierskap.aar}`,
      },
    }
    return {
      statementId: createHash('sha256').update(JSON.stringify(content)).digest('hex'),
      ...content,
      publicationDetails: {
        publicationDate: published.toISOString().slice(0, 10),
        bodsVersion: '0.4' as const,
        publisher,
      },
    }
  })
}

type RecordOf = { recordId: string } & Described
type Relation = { recordId: string; recordType: 'relationship'; recordDetails: BodsRelationship }

function recordsOf(eierskap: Eierskap) {
  const { organisasjonsnummer, navn, oppover, nedover, eierI, aar } = eierskap
  const subject = companyId(organisasjonsnummer)
  const parties = new Map<string, RecordOf>()
  const direct = new Map<string, Relation>()
  const above = new Map<string, Relation[]>()
  /** The ids of persons are good within this answer alone, so the record's is made its own. */
  const idOf = (part: Part) =>
    part.organisasjonsnummer === null ? `${subject}-${aar}-${part.id}` : companyId(part.organisasjonsnummer)
  const mention = (part: Part) => {
    const recordId = idOf(part)
    if (!parties.has(recordId)) parties.set(recordId, { recordId, ...describedParty(part) })
    return recordId
  }
  const mentionCompany = (orgnr: string, name: string | null) => mention(company(orgnr, name))
  const relate = (owner: string, owned: string, prosent: number | null, isNominee: boolean) => {
    const recordId = `${owner}-${owned}-${aar}`
    const relation: Relation = {
      recordId,
      recordType: 'relationship',
      recordDetails: {
        isComponent: false,
        subject: owned,
        interestedParty: owner,
        interests: [interest('direct', prosent, isNominee ? nomineeText : sharesText)],
      },
    }
    if (direct.has(recordId)) return
    direct.set(recordId, relation)
    above.set(owner, [...(above.get(owner) ?? []), relation])
  }

  mentionCompany(organisasjonsnummer, navn)
  for (const { forhold } of oppover?.ledd ?? []) {
    for (const { eier, eid, prosent } of forhold) {
      const owned = mentionCompany(eid.organisasjonsnummer, eid.navn)
      relate(mention(eier), owned, prosent, eier.type === 'forvalter')
    }
  }
  const upwards = new Map(above)
  const below: (Eid | EierI['andeler'][number])[] = [
    ...(nedover?.datterselskap ?? []),
    ...(nedover?.tilknyttede ?? []),
    ...(eierI?.andeler ?? []),
  ]
  for (const each of below) {
    const owned = mentionCompany(each.organisasjonsnummer, each.navn)
    const owner = 'eier' in each ? each.eier : organisasjonsnummer
    relate(companyId(owner), owned, each.prosent, false)
  }

  const indirect: Relation[] = []
  for (const each of oppover?.eiere ?? []) {
    const owner = mention(each.eier)
    const way = wayDown(owner, upwards)
    // One holding alone is no way through others: it is stated as what it is, direct.
    if (way.length < 2 && each.ledd === 1) continue
    const between = new Set(
      way.flatMap(({ recordDetails }) => [recordDetails.subject, recordDetails.interestedParty]),
    )
    between.delete(owner)
    between.delete(subject)
    const components = way.filter(({ recordDetails }) => !isWhole(recordDetails, owner, subject))
    for (const relation of components) relation.recordDetails.isComponent = true
    for (const id of between) {
      const party = parties.get(id)
      if (party !== undefined) party.recordDetails.isComponent = true
    }
    indirect.push({
      recordId: `${owner}-${subject}-${aar}-indirekte`,
      recordType: 'relationship',
      recordDetails: {
        isComponent: false,
        subject,
        interestedParty: owner,
        interests: [interest('indirect', indirectPercent(each), effectiveText)],
        componentRecords: [...between, ...components.map(({ recordId }) => recordId)],
      },
    })
  }
  return { parties, direct, indirect }
}

/** An owner's own direct holding in the subject is stated for itself also when it has indirect ones beside it. */
function isWhole(relation: BodsRelationship, owner: string, subject: string): boolean {
  return relation.interestedParty === owner && relation.subject === subject
}

/** Through others alone: the direct holding has its own statement. */
function indirectPercent({ effektivProsent, direkteProsent }: Eier): number | null {
  if (effektivProsent === null) return null
  return Math.max(0, Math.round((effektivProsent - (direkteProsent ?? 0)) * 1e6) / 1e6)
}

/** Every holding on a way from the owner down to the subject, rounds of circles included. */
function wayDown(owner: string, held: ReadonlyMap<string, Relation[]>): Relation[] {
  const way: Relation[] = []
  const seen = new Set([owner])
  for (const each of seen) {
    for (const relation of held.get(each) ?? []) {
      way.push(relation)
      seen.add(relation.recordDetails.subject)
    }
  }
  return way
}

const sharesText = 'Aksjer, ikke stemmer.'
const nomineeText = 'Aksjer, ikke stemmer. Forvalter: eier i eget navn for andre.'
const effectiveText = 'Aksjer, ikke stemmer. Summen over alle kjeder av produktet av andelene.'

function interest(
  directOrIndirect: 'direct' | 'indirect',
  prosent: number | null,
  details: string,
): BodsRelationship['interests'][number] {
  return {
    type: 'shareholding',
    directOrIndirect,
    beneficialOwnershipOrControl: false,
    ...(prosent === null ? {} : { share: { exact: prosent } }),
    details,
  }
}

function companyId(orgnr: string): string {
  return `NO-BRC-${orgnr}`
}

function company(orgnr: string, navn: string | null): Part {
  return {
    id: orgnr,
    type: 'foretak',
    navn,
    organisasjonsnummer: orgnr,
    fodselsaar: null,
    landkode: null,
    skjult: false,
    aksjonaerId: null,
  }
}
