import { existsSync, readFileSync } from 'node:fs'
import nock from 'nock'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createFeedSource } from '#src/sources/enhetsregisteret/feeds.ts'
import { type RegisterStandIn, startRegisterStandIn } from '#test/support/register-stand-in.ts'
import { answering, clientFor, HOST, ORGNR, OTHER, patient } from '../asking.ts'
import { onlyNockAnswers } from '../only-nock.ts'

/** A page as it was recorded from the register, or null where the recordings are absent: then its test is skipped. */
function recordedFeed(name: string): Buffer | null {
  const file = new URL(`../../../../shared/upstream/enhetsregisteret/${name}.json`, import.meta.url)
  return existsSync(file) ? readFileSync(file) : null
}

const AT = '2026-10-20T22:01:00.000Z'

describe('the feeds of units', () => {
  const client = clientFor(HOST)
  const feeds = createFeedSource(client)
  const UNIT_TYPE = { 'content-type': 'application/vnd.brreg.enhetsregisteret.oppdatering.enhet.v1+json' }

  onlyNockAnswers(client)

  const row = (oppdateringsid: unknown, more: Record<string, unknown> = {}) => ({
    oppdateringsid,
    dato: AT,
    organisasjonsnummer: ORGNR,
    endringstype: 'Ny',
    ...more,
  })
  const page = (rows: unknown[]) => ({
    ...(rows.length > 0 ? { _embedded: { oppdaterteEnheter: rows } } : {}),
    page: { size: 20, totalElements: rows.length, totalPages: 1, number: 0 },
  })
  const read = (rows: unknown[], size = 20) =>
    createFeedSource(answering({ body: page(rows) })).fetchUnitChanges(
      'enheter',
      { fromId: 1 },
      size,
      patient(),
    )

  test('are asked for by id, that one included, with the changes, oldest first', async () => {
    nock(HOST)
      .get('/enhetsregisteret/api/oppdateringer/underenheter')
      .query({ oppdateringsid: '21240001', sort: 'id,ASC', includeChanges: 'true', size: '500' })
      .reply(200, { page: { totalElements: 0 } }, UNIT_TYPE)
    expect(await feeds.fetchUnitChanges('underenheter', { fromId: 21_240_001 }, 500, patient())).toEqual({
      events: [],
      oldest: null,
      newest: null,
      unreadable: 0,
      isLast: true,
    })
  })

  test('are asked for by time with milliseconds and zone, which the register demands', async () => {
    nock(HOST)
      .get('/enhetsregisteret/api/oppdateringer/enheter')
      .query({ dato: '2026-10-20T12:00:00.000Z', sort: 'id,ASC', includeChanges: 'true', size: '10' })
      .reply(200, page([row(7)]), UNIT_TYPE)
    const from = { fromTime: new Date('2026-10-20T12:00:00Z') }
    const { events } = await feeds.fetchUnitChanges('enheter', from, 10, patient())
    expect(events).toEqual([
      { id: 7, at: new Date(AT), organisasjonsnummer: ORGNR, kind: 'Ny', changedPaths: null },
    ])
  })

  test('come by rising id, whatever order they were sent in', async () => {
    const { events, oldest, newest } = await read([row(12), row(3), row(7)])
    expect(events.map(({ id }) => id)).toEqual([3, 7, 12])
    expect([oldest?.id, newest?.id]).toEqual([3, 12])
  })

  test('are at their end when there are fewer than were asked for', async () => {
    expect((await read([row(1), row(2)], 2)).isLast).toBe(false)
    expect((await read([row(1), row(2)], 3)).isLast).toBe(true)
  })

  test('tell the paths that were changed, those moved from too, or null when that is not told', async () => {
    const patch = [
      { op: 'replace', path: '/navn', value: 'X' },
      { op: 'move', from: '/aktivitet/0', path: '/aktivitet/1' },
    ]
    const { events } = await read([
      row(1, { endringstype: 'Endring', endringer: patch }),
      row(2, { endringstype: 'Endring', endringer: [] }),
      row(3, { endringstype: 'Endring', endringer: [{ op: 'replace' }] }),
      row(4, { endringstype: 'Sletting' }),
    ])
    expect(events.map(({ changedPaths }) => changedPaths)).toEqual([
      ['/navn', '/aktivitet/1', '/aktivitet/0'],
      [],
      null,
      null,
    ])
  })

  test('of a kind nobody has heard of are kept as unknown', async () => {
    const { events } = await read([
      row(1, { endringstype: 'Gjenoppstaatt' }),
      row(2, { endringstype: undefined }),
    ])
    expect(events.map(({ kind }) => kind)).toEqual(['Ukjent', 'Ukjent'])
  })

  test('one that can not be read is counted and passed over, and does not hold up those behind it', async () => {
    const { events, unreadable, newest } = await read([
      row(1),
      row(2, { organisasjonsnummer: '123' }),
      row(3, { organisasjonsnummer: '999999991' }),
      row(4, { organisasjonsnummer: null }),
      row('five'),
      row(6, { dato: 'i går' }),
      null,
      row(8, { organisasjonsnummer: OTHER }),
      row(9, { organisasjonsnummer: {} }),
    ])
    expect(events.map(({ id }) => id)).toEqual([1, 8])
    expect(unreadable).toBe(7)
    expect(newest?.id).toBe(9)
  })

  test.each([
    ['most of the events', Array.from({ length: 12 }, (_, id) => row(id + 1, { organisasjonsnummer: id }))],
    ['the place of the only event', [row('1')]],
  ])('are not believed when %s can not be read', async (_, rows) => {
    await expect(read(rows)).rejects.toMatchObject({ source: 'oppdateringer', failure: 'ugyldig_svar' })
  })

  test('are not believed when they are counted and not listed', async () => {
    const cut = createFeedSource(answering({ body: { page: { totalElements: 3 } } }))
    const asked = cut.fetchUnitChanges('enheter', { fromId: 1 }, 20, patient())
    await expect(asked).rejects.toMatchObject({ failure: 'ugyldig_svar' })
  })

  test('a status that is not 200 is the register’s failure, with how long it wants to be left alone', async () => {
    nock(HOST)
      .get('/enhetsregisteret/api/oppdateringer/enheter')
      .query(true)
      .reply(503, '', { 'retry-after': '30' })
    const asked = feeds.fetchUnitChanges('enheter', { fromId: 1 }, 20, patient())
    await expect(asked).rejects.toMatchObject({ failure: 'feilstatus', status: 503, retryAfterSeconds: 30 })
  })

  const recorded = recordedFeed('oppdateringer-enheter-mixed-types')
  test.skipIf(recorded === null)('the recorded page has every kind', async () => {
    const source = createFeedSource(answering({ body: recorded ?? '' }))
    const { events, unreadable } = await source.fetchUnitChanges('enheter', { fromId: 1 }, 1000, patient())
    expect(events.map(({ kind }) => kind)).toEqual(['Sletting', 'Ny', 'Fjernet', 'Ukjent'])
    expect(unreadable).toBe(0)
  })

  const changes = recordedFeed('oppdateringer-enheter-includechanges')
  test.skipIf(changes === null)('the recorded page with changes tells which accounts are new', async () => {
    const source = createFeedSource(answering({ body: changes ?? '' }))
    const { events } = await source.fetchUnitChanges('enheter', { fromId: 1 }, 3, patient())
    expect(events.map(({ id }) => id)).toEqual([25067148, 25083754, 25107591])
    expect(events.at(-1)?.changedPaths).toEqual(['/sisteInnsendteAarsregnskap'])
  })

  const empty = recordedFeed('oppdateringer-enheter-empty')
  test.skipIf(empty === null)('P16: the recorded empty page has no list at all, and is fine', async () => {
    const source = createFeedSource(answering({ body: empty ?? '' }))
    const read = await source.fetchUnitChanges('enheter', { fromId: 25_175_397 }, 5, patient())
    expect(read).toEqual({ events: [], oldest: null, newest: null, unreadable: 0, isLast: true })
  })
})

describe('the feed of roles', () => {
  let register: RegisterStandIn
  let feeds: ReturnType<typeof createFeedSource>
  let client: ReturnType<typeof clientFor>

  beforeEach(async () => {
    register = await startRegisterStandIn({
      answers: { companies: new Map(), klass: { correspondence: null, codeLists: [] } },
    })
    client = clientFor(register.registerUrl)
    feeds = createFeedSource(client)
  })
  afterEach(async () => {
    await client.close()
    await register.close()
  })

  test('is a bare list of events whose ids are text; the one named is left out', async () => {
    const first = register.publish('roller', { organisasjonsnummer: ORGNR }, { dato: AT })
    const second = register.publish('roller', { organisasjonsnummer: OTHER }, { dato: AT })
    const all = await feeds.fetchRoleChanges({ afterTime: new Date('2026-10-20T00:00:00Z') }, 100, patient())
    expect(all.events).toEqual([
      { id: String(first), at: new Date(AT), organisasjonsnummer: ORGNR },
      { id: String(second), at: new Date(AT), organisasjonsnummer: OTHER },
    ])
    const rest = await feeds.fetchRoleChanges({ afterId: String(first) }, 1, patient())
    expect(rest.events.map(({ id }) => id)).toEqual([String(second)])
    expect(rest.isLast).toBe(false)
    const none = await feeds.fetchRoleChanges({ afterId: String(second) }, 1, patient())
    expect(none).toEqual({ events: [], oldest: null, newest: null, unreadable: 0, isLast: true })
    expect(register.calls.last('oppdateringer/roller')?.headers.accept).toContain(
      'application/cloudevents-batch+json',
    )
  })

  test('ids are put in order as numbers, not as text', async () => {
    const event = (id: string) => ({ id, time: AT, data: { organisasjonsnummer: ORGNR } })
    const source = createFeedSource(answering({ body: [event('1000'), event('999')] }))
    const { events } = await source.fetchRoleChanges({ afterId: '1' }, 10, patient())
    expect(events.map(({ id }) => id)).toEqual(['999', '1000'])
  })

  test('one that can not be read is counted and passed over', async () => {
    register.publish('roller', { organisasjonsnummer: '12' })
    const good = register.publish('roller', { organisasjonsnummer: ORGNR })
    const { events, unreadable } = await feeds.fetchRoleChanges({ afterTime: new Date(0) }, 100, patient())
    expect(events.map(({ id }) => id)).toEqual([String(good)])
    expect(unreadable).toBe(1)
  })

  test('something else than a list is not believed', async () => {
    register.setFault('oppdateringer/roller', { kind: 'html' })
    const asked = feeds.fetchRoleChanges({ afterId: '1' }, 10, patient())
    await expect(asked).rejects.toMatchObject({ source: 'oppdateringer', failure: 'ugyldig_svar' })
  })
})
