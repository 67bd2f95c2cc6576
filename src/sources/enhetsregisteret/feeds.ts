import { Type } from 'typebox'
import { createBelief } from '../believe.ts'
import type { RegisterClient, RegisterResponse } from '../register-client.ts'
import { invalid, parseJson, refusedStatus } from '../response.ts'
import type { SourceCall } from '../source.ts'
import {
  type ChangePage,
  pageOfChanges,
  type RoleChange,
  readRoleChange,
  readUnitChange,
  type UnitChange,
} from './changes.ts'

export type FeedSource = ReturnType<typeof createFeedSource>

/** The change feeds of Enhetsregisteret. A page of 10,000 events is 2.1 MB without their changes, and five times that with them. */
export function createFeedSource(client: RegisterClient) {
  return {
    /**
     * Changes of main units or sub-units from an id or a time on, the named one included; `size` is 1 to 10,000.
     * Ids have gaps.
     *
     * @throws SourceError when the register could not be heard or believed
     */
    async fetchUnitChanges(
      feed: 'enheter' | 'underenheter',
      from: { fromId: number } | { fromTime: Date },
      size: number,
      call: SourceCall,
    ): Promise<ChangePage<UnitChange>> {
      const query = {
        // A date without milliseconds and zone is a 400.
        ...('fromId' in from
          ? { oppdateringsid: String(Math.max(1, from.fromId)) }
          : { dato: from.fromTime.toISOString() }),
        sort: 'id,ASC',
        includeChanges: 'true',
      }
      const fromId = 'fromId' in from ? from.fromId : null
      return readUnitPage(feed, await askUnits(client, feed, query, size, call), { size, fromId })
    },

    /**
     * The last change published; null when the feed is empty.
     *
     * @throws SourceError when the register could not be heard or believed
     */
    async fetchNewestUnitChange(
      feed: 'enheter' | 'underenheter',
      call: SourceCall,
    ): Promise<{ id: number; at: Date } | null> {
      const response = await askUnits(client, feed, { sort: 'id,DESC' }, 1, call)
      return readUnitPage(feed, response, { size: 1, fromId: null }).newest
    },

    /**
     * Changes of roles after an id or a time, the named one excluded; `size` is 1 to 10,000. Ids are text.
     *
     * @throws SourceError when the register could not be heard or believed
     */
    async fetchRoleChanges(
      from: { afterId: string } | { afterTime: Date },
      size: number,
      call: SourceCall,
    ): Promise<ChangePage<RoleChange>> {
      const response = await client.get('oppdateringer', '/enhetsregisteret/api/oppdateringer/roller', {
        accept: 'application/cloudevents-batch+json, application/json;q=0.9',
        ...call,
        query: {
          ...('afterId' in from ? { afterId: from.afterId } : { afterTime: from.afterTime.toISOString() }),
          size: String(size),
        },
      })
      if (response.status !== 200) throw refusedStatus('oppdateringer', response)
      const rows = believeRoleChanges('oppdateringer', parseJson('oppdateringer', response)).value
      const fromId = 'afterId' in from ? from.afterId : null
      return pageOfChanges(rows, readRoleChange, response, { size, fromId })
    },
  }
}

const PATHS = {
  enheter: '/enhetsregisteret/api/oppdateringer/enheter',
  underenheter: '/enhetsregisteret/api/oppdateringer/underenheter',
}

async function askUnits(
  client: RegisterClient,
  feed: 'enheter' | 'underenheter',
  query: Record<string, string>,
  size: number,
  { signal }: SourceCall,
): Promise<RegisterResponse> {
  const unit = feed === 'enheter' ? 'enhet' : 'underenhet'
  const response = await client.get('oppdateringer', PATHS[feed], {
    // The published specification lists plain JSON only, so the pinned type is asked for first, not alone.
    accept: `application/vnd.brreg.enhetsregisteret.oppdatering.${unit}.v1+json;charset=UTF-8, application/json;q=0.9`,
    signal,
    query: { ...query, size: String(size) },
  })
  if (response.status !== 200) throw refusedStatus('oppdateringer', response)
  return response
}

function readUnitPage(
  feed: 'enheter' | 'underenheter',
  response: RegisterResponse,
  asked: { size: number; fromId: number | null },
): ChangePage<UnitChange> {
  const { value } = believeUnitChanges('oppdateringer', parseJson('oppdateringer', response))
  const rows = value._embedded?.[feed === 'enheter' ? 'oppdaterteEnheter' : 'oppdaterteUnderenheter'] ?? []
  // An empty page has no `_embedded`; one that counts events and lists none would be a cut nobody sees.
  if (rows.length === 0 && value.page.totalElements > 0)
    throw invalid('oppdateringer', response, 'the answer counts changes it does not list')
  return pageOfChanges(rows, readUnitChange, response, asked)
}

const Hendelser = Type.Optional(Type.Array(Type.Unknown()))
const believeUnitChanges = createBelief(
  Type.Object({
    _embedded: Type.Optional(
      Type.Object({ oppdaterteEnheter: Hendelser, oppdaterteUnderenheter: Hendelser }),
    ),
    page: Type.Object({ totalElements: Type.Integer({ minimum: 0 }) }),
  }),
)
const believeRoleChanges = createBelief(Type.Array(Type.Unknown()))
