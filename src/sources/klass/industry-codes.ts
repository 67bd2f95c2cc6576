import { type Static, Type } from 'typebox'
import { createBelief } from '../believe.ts'
import type { Provenance, SourceQuestion } from '../descriptor.ts'
import type { Host } from '../register.ts'
import type { RegisterClient, RegisterResponse } from '../register-client.ts'
import { found, invalid, parseJson, refusedStatus } from '../response.ts'
import { type Answer, type SourceCall, SourceError } from '../source.ts'

type IndustryCode = { kode: string; navn: string }

/** A code list that could not be had is null; the correspondences are always there. */
type KlassCodes = {
  correspondences: { sn2025: string; sn2025Navn: string; sn2007: string; sn2007Navn: string }[]
  sn2025Codes: IndustryCode[] | null
  sn2007Codes: IndustryCode[] | null
}

/** Statistics Norway's table of how the codes of the two classifications correspond, as it is shown beside them. */
export const correspondences: {
  request: () => SourceQuestion
  register: { host: Host }
  provenance: Provenance
} = {
  // KLASS names the table from SN2025 to SN2007 by this number.
  request: () => ({ path: '/api/klass/v1/correspondencetables/2919' }),
  register: { host: 'klass' },
  provenance: { kildeId: 'ssb-klass', kilde: 'Statistisk sentralbyrå, KLASS', lisens: 'CC BY 4.0' },
}

/** Statistics Norway's KLASS: the two industry classifications and how their codes correspond. */
export function createIndustryCodesSource(client: RegisterClient) {
  return {
    /**
     * Five-digit codes only (`64.190`); the aggregates above them are left out. A table of correspondences does not list
     * codes that did not change. A list that could not be had is named in `avvik` (`/sn2025Codes`, `/sn2007Codes`).
     *
     * @throws SourceError when the correspondences could not be heard or believed
     */
    async fetchIndustryCodes(call: SourceCall): Promise<Answer<KlassCodes>> {
      const [table, sn2025Codes, sn2007Codes] = await Promise.all([
        fetchCorrespondences(client, call),
        fetchCodes(client, IN_FORCE.sn2025, call),
        fetchCodes(client, IN_FORCE.sn2007, call),
      ])
      const avvik = [
        ...(sn2025Codes === null ? ['/sn2025Codes'] : []),
        ...(sn2007Codes === null ? ['/sn2007Codes'] : []),
      ]
      return found(
        { correspondences: table.correspondences, sn2025Codes, sn2007Codes },
        avvik,
        table.fetchedAt,
      )
    },
  }
}

/** KLASS names both classifications by this number. */
const CLASSIFICATION = 6

/** SN2025 replaced SN2007 on 1 September 2025; a code list is asked for by a day on which it was in force. */
const IN_FORCE = { sn2025: '2026-01-01', sn2007: '2024-06-30' }

const Tekst = Type.String()
const Correspondences = Type.Object({
  name: Tekst,
  correspondenceMaps: Type.Array(
    Type.Object({ sourceCode: Tekst, sourceName: Tekst, targetCode: Tekst, targetName: Tekst }),
  ),
})
const Codes = Type.Object({ codes: Type.Array(Type.Object({ code: Tekst, name: Tekst })) })

const believeCorrespondences = createBelief(Correspondences)
const believeCodes = createBelief(Codes)

async function fetchCorrespondences(client: RegisterClient, { signal }: SourceCall) {
  const response = await client.get('klass', correspondences.request().path, {
    accept: 'application/json',
    signal,
  })
  if (response.status !== 200) throw refusedStatus('klass', response)
  const { value } = believeCorrespondences('klass', parseJson('klass', response))
  const listed = value.correspondenceMaps
    .filter(({ sourceCode, targetCode }) => isFiveDigit(sourceCode) && isFiveDigit(targetCode))
    .map((map) => ({
      sn2025: map.sourceCode,
      sn2025Navn: map.sourceName,
      sn2007: map.targetCode,
      sn2007Navn: map.targetName,
    }))
  if (listed.length === 0) throw invalid('klass', response, 'the table has no five-digit code')
  refuseOtherTable(value, response)
  return { correspondences: listed, fetchedAt: response.fetchedAt }
}

/** Read the wrong way round, every mapping would be a wrong fact: the name tells the direction. */
function refuseOtherTable({ name }: Static<typeof Correspondences>, response: RegisterResponse): void {
  const from = name.indexOf('2025')
  if (from >= 0 && name.indexOf('2007', from) > from) return
  throw invalid('klass', response, 'the table is not the one from SN2025 to SN2007')
}

async function fetchCodes(
  client: RegisterClient,
  date: string,
  { signal }: SourceCall,
): Promise<IndustryCode[] | null> {
  try {
    const response = await client.get('klass', `/api/klass/v1/classifications/${CLASSIFICATION}/codesAt`, {
      accept: 'application/json',
      signal,
      query: { date },
    })
    if (response.status !== 200) return null
    const { codes } = believeCodes('klass', parseJson('klass', response)).value
    const fiveDigit = codes.filter(({ code }) => isFiveDigit(code))
    return fiveDigit.length === 0 ? null : fiveDigit.map(({ code, name }) => ({ kode: code, navn: name }))
  } catch (error) {
    if (error instanceof SourceError) return null
    throw error
  }
}

function isFiveDigit(code: string): boolean {
  return /^\d{2}\.\d{3}$/.test(code)
}
