import { expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import { beBusyFor } from '#test/support/be-busy.ts'
import { closedPages, crowdedReader, noChanges } from '#test/support/closed-pages.ts'
import { KEY, startPageFront } from '../pages/page-front.ts'

const ORGNR = '923609016'
const { sizeMax } = policy.changeLog

it.each([
  ['/api/endringer', 'application/json'],
  ['/api/endringer', 'application/x-ndjson'],
  ['/api/endringer', 'application/cloudevents-batch+json'],
  [`/api/bedrift/${ORGNR}/endringer`, 'application/json'],
  [`/api/bedrift/${ORGNR}/historikk`, 'application/json'],
  ['/api/overvaking', 'application/json'],
])(
  'P183: as many changes as a page has, or companies that are watched, let others in while they are told (%s, %s)',
  async (path, accept) => {
    const turns = new Set<number>()
    let turn = 0
    const another = setInterval(() => {
      turn += 1
    })
    /** A tenth of a turn. */
    const work = () => {
      turns.add(turn)
      beBusyFor(policy.http.loopTurnMs / 10)
    }
    const changes = Array.from({ length: sizeMax }, (_, nr) => ({
      nr: nr + 1,
      orgnr: ORGNR,
      seksjon: 'roller',
      type: 'roller.styre.endret',
      navn: null,
      nevner: [],
      hendelse: null,
      forrige: new Date('2026-11-20T08:00:00Z'),
      sett: new Date('2026-11-21T08:00:00Z'),
      prove: false,
      get felt() {
        work()
        return [{ felt: '/navn', for: null, etter: 'TINDEVÅG AS' }]
      },
    }))
    const watches = Array.from({ length: sizeMax }, () => ({
      orgnr: ORGNR,
      navn: 'TINDEVÅG AS',
      epost: null,
      opprettet: new Date('2026-11-21T08:00:00Z'),
      get typer() {
        work()
        return ['foretak']
      },
    }))
    const page = { changes, cursor: { nr: sizeMax, mark: 1 }, hasMore: false, isEarly: false }
    const front = await startPageFront(closedPages(), {
      changes: {
        verifier: { verify: () => ({ ok: true, key: KEY }), atHand: () => null },
        reader: crowdedReader,
        changes: {
          ...noChanges,
          watcherOf: async () => ({ eier: KEY.id, prove: false }),
          log: {
            ...noChanges.log,
            read: async () => ({ outcome: 'page', ...page }),
            ofCompany: async () => ({ changes, last: null }),
          },
          watches: { ...noChanges.watches, list: async () => ({ watches, count: sizeMax, hasMore: false }) },
        },
      },
    })
    try {
      const { status, text } = await front.get(`${path}?size=${sizeMax}`, {
        authorization: 'Bearer bo_test',
        accept,
      })
      expect(status).toBe(200)
      expect(text.split('"TINDEVÅG AS"').length).toBeGreaterThan(sizeMax)
      expect(turns.size).toBeGreaterThan(10)
    } finally {
      clearInterval(another)
      await front.close()
    }
  },
)
