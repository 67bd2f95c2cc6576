import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormatsModule from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { type BodsStatement, toBods } from '#src/record/eierskap/bods.ts'
import { readOwnership } from '#src/record/eierskap/read-ownership.ts'
import { type Company, inventedRegister } from './invented-register.ts'

/** The rules of schema/*.json of BODS 0.4 that concern what we state: required fields, closed code lists, lengths, formats. */
const date = { type: 'string', format: 'date' }
const unspecified = {
  type: 'object',
  required: ['reason'],
  properties: { reason: { enum: ['interestedPartyExemptFromDisclosure', 'informationUnknownToPublisher'] } },
}
const country = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string' }, code: { type: 'string', minLength: 2, maxLength: 2 } },
}
const details = {
  entity: {
    required: ['isComponent', 'entityType'],
    properties: {
      isComponent: { type: 'boolean' },
      entityType: {
        required: ['type'],
        properties: { type: { enum: ['registeredEntity', 'stateBody', 'unknownEntity'] } },
        additionalProperties: false,
      },
      unspecifiedEntityDetails: unspecified,
      name: { type: 'string' },
      jurisdiction: country,
      identifiers: {
        type: 'array',
        items: { required: ['id', 'scheme'], properties: { id: { type: 'string', pattern: '^[0-9]{9}$' } } },
      },
      addresses: { type: 'array', items: { properties: { country }, additionalProperties: false } },
    },
    additionalProperties: false,
  },
  person: {
    required: ['isComponent', 'personType'],
    properties: {
      isComponent: { type: 'boolean' },
      personType: { enum: ['knownPerson', 'anonymousPerson', 'unknownPerson'] },
      unspecifiedPersonDetails: unspecified,
      names: {
        type: 'array',
        items: {
          required: ['fullName'],
          properties: { type: { enum: ['legal'] }, fullName: { type: 'string' } },
          additionalProperties: false,
        },
      },
      birthDate: { type: 'string', pattern: '^(\\d{4})(-(1[0-2]|0[1-9]))?$' },
    },
    additionalProperties: false,
  },
  relationship: {
    required: ['isComponent', 'subject', 'interestedParty'],
    properties: {
      isComponent: { type: 'boolean' },
      componentRecords: { type: 'array', items: { type: 'string' }, uniqueItems: true },
      subject: { type: 'string' },
      interestedParty: { type: 'string' },
      interests: {
        type: 'array',
        minItems: 1,
        items: {
          properties: {
            type: { const: 'shareholding' },
            directOrIndirect: { enum: ['direct', 'indirect', 'unknown'] },
            // The register knows shares: nothing is declared to be beneficial ownership.
            beneficialOwnershipOrControl: { const: false },
            details: { type: 'string' },
            share: {
              properties: { exact: { type: 'number', minimum: 0, maximum: 100 } },
              additionalProperties: false,
            },
          },
          additionalProperties: false,
        },
      },
    },
    additionalProperties: false,
    if: { properties: { isComponent: { const: true } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    then: { properties: { componentRecords: { const: [] } } },
  },
}
const statement = {
  type: 'object',
  required: ['statementId', 'statementDate', 'declarationSubject', 'recordId', 'recordType', 'recordDetails'],
  properties: {
    statementId: { type: 'string', minLength: 32, maxLength: 64 },
    statementDate: date,
    declarationSubject: { type: 'string' },
    recordId: { type: 'string' },
    recordType: { enum: ['entity', 'person', 'relationship'] },
    recordStatus: { enum: ['new', 'updated', 'closed'] },
    recordDetails: { type: 'object' },
    publicationDetails: {
      required: ['publicationDate', 'bodsVersion', 'publisher'],
      properties: {
        publicationDate: date,
        bodsVersion: { type: 'string', pattern: '^(\\d+\\.)(\\d+)$' },
        publisher: { required: ['name'], properties: { name: { type: 'string' } } },
      },
    },
    source: {
      properties: {
        type: { type: 'array', items: { enum: ['officialRegister'] } },
        description: { type: 'string' },
      },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
  allOf: Object.entries(details).map(([recordType, recordDetails]) => ({
    if: { properties: { recordType: { const: recordType } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    then: { properties: { recordDetails } },
  })),
}
const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormatsModule.default(ajv)
const isValid = ajv.compile({ type: 'array', items: statement })

const everything: Record<number, Company> = {
  1: {
    holders: [
      [2, 60],
      ['OLA', 20],
      ['HEMMELIG', { fodselsaar: 1950, skjult: true }, 10],
      [5, 10],
    ],
  },
  2: {
    holders: [
      [3, 40],
      ['OLA', 20],
      [4, { navn: 'OSLO KOMMUNE' }, 10],
      ['PARIR AB', { land: 'SE' }, 10],
      ['CLEARSTREAM BANKING S.A.', { land: 'LU' }, 10],
      ['', { navn: null, fodselsaar: 1980 }, 10],
    ],
  },
  3: {
    holders: [
      [2, 50],
      ['KARI', 50],
    ],
  },
  5: { total: null, holders: [['ANNE', 1]] },
  6: {
    holders: [
      [1, 70],
      ['OLA', 30],
    ],
  },
  7: {
    holders: [
      [6, 30],
      ['OLA', 70],
    ],
  },
  8: {
    holders: [
      [1, 1],
      ['OLA', 99],
    ],
  },
}

/** Company 1 holds half of its own owner: its holding is part of how that company's owners come to all of it. */
const circle: Record<number, Company> = {
  1: { holders: [[2, 100]] },
  2: {
    holders: [
      [1, 50],
      [3, 50],
    ],
  },
  3: { holders: [['OLA', 100]] },
}

describe('BODS 0.4', () => {
  it('every statement keeps the standard’s rules', async () => {
    const statements = await stated(everything)
    isValid(statements)
    expect(isValid.errors ?? []).toEqual([])
    expect(new Set(statements.map(({ statementId }) => statementId)).size).toBe(statements.length)
    expect(new Set(statements.map(({ recordId }) => recordId)).size).toBe(statements.length)
    expect(new Set(statements.map(({ declarationSubject }) => declarationSubject))).toEqual(
      new Set(['NO-BRC-000000001']),
    )
  })

  it.each([
    ['all kinds', everything],
    ['a circle', circle],
  ])(
    'every party and component that is referred to is stated, before what refers to it: %s',
    async (_, companies) => {
      const statements = await stated(companies)
      const at = new Map(statements.map(({ recordId }, index) => [recordId, index]))
      const types = new Map(statements.map(({ recordId, recordType }) => [recordId, recordType]))
      expect(types.get('NO-BRC-000000001')).toBe('entity')
      const components = new Set<string>()
      statements.forEach((each, index) => {
        if (each.recordType !== 'relationship') return
        const { subject, interestedParty, componentRecords = [] } = each.recordDetails
        expect(types.get(subject)).toBe('entity')
        expect(['entity', 'person']).toContain(types.get(interestedParty))
        for (const referred of [subject, interestedParty, ...componentRecords]) {
          expect(at.get(referred) ?? Number.NaN).toBeLessThan(index)
        }
        for (const component of componentRecords) components.add(component)
      })
      const marked = statements
        .filter(({ recordDetails }) => recordDetails.isComponent)
        .map(({ recordId }) => recordId)
      expect(new Set(marked)).toEqual(components)
      expect(marked.length).toBeGreaterThan(3)
    },
  )

  it('an owner through others is indirect by what it has through others, its own holding beside it direct', async () => {
    const statements = await stated({
      1: {
        holders: [
          [2, 60],
          ['OLA', 30],
          ['ANNE', 10],
        ],
      },
      2: {
        holders: [
          ['OLA', 50],
          ['KARI', 50],
        ],
      },
    })
    expect(interests(statements)).toEqual([
      ['SELSKAP 2 AS', 'direct', 60],
      ['OLA', 'direct', 30],
      ['ANNE', 'direct', 10],
      ['OLA', 'direct', 50],
      ['KARI', 'direct', 50],
      ['OLA', 'indirect', 30],
      ['KARI', 'indirect', 30],
    ])
    const indirect = statements.filter(({ recordId }) => recordId.endsWith('indirekte'))
    expect(
      indirect.map(
        ({ recordDetails }) => 'componentRecords' in recordDetails && recordDetails.componentRecords,
      ),
    ).toEqual([
      [
        'NO-BRC-000000002',
        'NO-BRC-000000001-2025-p1-NO-BRC-000000002-2025',
        'NO-BRC-000000002-NO-BRC-000000001-2025',
      ],
      [
        'NO-BRC-000000002',
        'NO-BRC-000000001-2025-p3-NO-BRC-000000002-2025',
        'NO-BRC-000000002-NO-BRC-000000001-2025',
      ],
    ])
  })

  it('P21: whoever is hidden is an anonymous person, and nothing else is said', async () => {
    const statements = await stated(everything)
    const anonymous = statements.filter(
      ({ recordDetails }) => 'personType' in recordDetails && recordDetails.personType === 'anonymousPerson',
    )
    expect(anonymous.map(({ recordDetails }) => recordDetails)).toEqual([
      {
        isComponent: false,
        personType: 'anonymousPerson',
        unspecifiedPersonDetails: {
          reason: 'interestedPartyExemptFromDisclosure',
          description: 'Personen vises ikke etter eget ønske.',
        },
      },
    ])
    expect(JSON.stringify(statements)).not.toMatch(/HEMMELIG|1950/)
  })

  it('a birth date is the year, and a share that can not be told is left out', async () => {
    const text = JSON.stringify(await stated(everything))
    expect(text).toContain('"birthDate":"1970"')
    expect(text).not.toContain('null')
  })

  it('a circle is part of the way of whoever stands above it', async () => {
    const statements = await stated(circle)
    const whole = statements.at(-1)
    expect(whole?.recordDetails).toMatchObject({
      interests: [{ directOrIndirect: 'indirect', share: { exact: 100 } }],
      componentRecords: [
        'NO-BRC-000000003',
        'NO-BRC-000000002',
        'NO-BRC-000000001-2025-p1-NO-BRC-000000003-2025',
        'NO-BRC-000000003-NO-BRC-000000002-2025',
        'NO-BRC-000000002-NO-BRC-000000001-2025',
        'NO-BRC-000000001-NO-BRC-000000002-2025',
      ],
    })
  })

  it('what the company owns is stated too, once', async () => {
    const statements = await stated(everything)
    const owned = statements.flatMap(({ recordType, recordDetails }) =>
      recordType === 'relationship' && !('componentRecords' in recordDetails) ? [recordDetails.subject] : [],
    )
    expect(owned.slice(-3)).toEqual(['NO-BRC-000000006', 'NO-BRC-000000007', 'NO-BRC-000000008'])
  })

  it('the same answer is the same statements on another day, but for the day', async () => {
    const ids = (statements: BodsStatement[]) => statements.map(({ statementId }) => statementId)
    const first = await stated(everything)
    const later = await stated(everything, new Date('2027-02-03T00:00:00Z'))
    expect(ids(later)).toEqual(ids(first))
    expect(later[0]?.publicationDetails.publicationDate).toBe('2027-02-03')
  })
})

async function stated(companies: Record<number, Company>, published = new Date('2026-06-01T00:00:00Z')) {
  const { ports } = inventedRegister(companies)
  return toBods(await readOwnership(1, { aar: 2025, retning: 'begge' }, ports), { published })
}

function interests(statements: BodsStatement[]) {
  const names = new Map(
    statements.map(({ recordId, recordDetails }) => [
      recordId,
      'names' in recordDetails
        ? recordDetails.names?.[0]?.fullName
        : 'name' in recordDetails && recordDetails.name,
    ]),
  )
  return statements.flatMap(({ recordType, recordDetails }) =>
    recordType === 'relationship'
      ? recordDetails.interests.map(({ directOrIndirect, share }) => [
          names.get(recordDetails.interestedParty),
          directOrIndirect,
          share?.exact,
        ])
      : [],
  )
}
