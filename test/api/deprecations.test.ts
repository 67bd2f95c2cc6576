import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PageFront, startPageFront } from '#test/pages/page-front.ts'
import { closedPages } from '#test/support/closed-pages.ts'
import { heldAnswer } from '#test/support/held-answer.ts'

const HELD = '901012121'
const KEY = { authorization: 'Bearer bo_test_key' }
const key = { id: 'abc', miljo: 'test', right: 'abc', utloper: new Date('2027-06-01T00:00:00Z') } as const
const answer = heldAnswer(HELD)

const UNKNOWN = { outcome: 'unknown', forced: null } as const

describe('P90: what is on its way out is told with each answer that has it', () => {
  let front: PageFront

  beforeAll(async () => {
    front = await startPageFront(closedPages(), {
      changes: {
        deprecations: [
          { route: '/api/bedrift/:orgnr', of: { field: '/navn' }, since: '2027-01-01', sunset: '2027-07-01' },
          {
            route: '/api/bedrift/:orgnr',
            of: { field: '/maalform' },
            since: '2027-03-01',
            sunset: '2027-09-01',
          },
          { route: '/api/bedrift/sok', of: { parameter: 'size' }, since: '2027-01-01', sunset: '2027-07-01' },
          { route: '/api/bedrift/finn', of: null, since: '2027-01-01', sunset: '2027-07-01' },
        ],
        reader: {
          atHand: (orgnr) => (orgnr === HELD ? answer : null),
          shared: () => null,
          read: async () => UNKNOWN,
          readPart: async () => UNKNOWN,
          waiting: () => 0,
        },
        verifier: { verify: () => ({ ok: true, key }), atHand: () => key },
      },
    })
  })
  afterAll(() => front.close())

  const told = async (path: string) => {
    const { headers } = await front.get(path, KEY)
    return ['deprecation', 'sunset', 'link'].map((name) => headers.get(name))
  }
  const TOLD = [
    '@1798761600',
    'Thu, 01 Jul 2027 00:00:00 GMT',
    '</dokumentasjon/endringer>; rel="deprecation"; type="text/html"',
  ]

  it('a field, on an answer by the short way and by the ordinary one, also a problem: the earliest day of several', async () => {
    expect(await told(`/api/bedrift/${HELD}`)).toEqual(TOLD)
    expect(await told(`/api/bedrift/${HELD}?fersk=true`)).toEqual(TOLD)
    expect(await told('/api/bedrift/923609016')).toEqual(TOLD)
  })

  it('a parameter, to whoever sends it', async () => {
    expect(await told('/api/bedrift/sok?size=1')).toEqual(TOLD)
    expect(await told('/api/bedrift/sok?antall=1')).toEqual([null, null, null])
  })

  it('a whole address; and nothing of what stays', async () => {
    expect(await told('/api/bedrift/finn')).toEqual(TOLD)
    expect(await told('/api/bedrift/status')).toEqual([null, null, null])
  })
})
