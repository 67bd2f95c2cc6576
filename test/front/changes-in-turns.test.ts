import { expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import { closedPages, noChanges } from '#test/support/closed-pages.ts'
import { startPageFront } from '../pages/page-front.ts'

const ORGNR = '923609016'
const { sizeMax } = policy.changeLog

it.each([
  ['/api/endringer', 'application/json'],
  ['/api/endringer', 'application/x-ndjson'],
  ['/api/endringer', 'application/cloudevents-batch+json'],
  [`/api/bedrift/${ORGNR}/endringer`, 'application/json'],
  [`/api/bedrift/${ORGNR}/historikk`, 'application/json'],
])('P183: as many changes as a page has let others in while they are told (%s, %s)', async (path, accept) => {
  const key = {
    id: 'a1b2c3d4e5f6',
    miljo: 'test',
    right: 'a1b2c3d4e5f6',
    utloper: new Date('2027-11-21T08:00:00Z'),
  } as const
  const turns = new Set<number>()
  let turn = 0
  const another = setInterval(() => {
    turn += 1
  })
  const changes = Array.from({ length: sizeMax }, (_, nr) => ({
    nr: nr + 1,
    orgnr: ORGNR,
    seksjon: 'roller',
    type: 'roller.styre.endret',
    navn: null,
    hendelse: null,
    forrige: new Date('2026-11-20T08:00:00Z'),
    sett: new Date('2026-11-21T08:00:00Z'),
    prove: false,
    // A tenth of a turn each.
    get felt() {
      turns.add(turn)
      for (const until = performance.now() + policy.http.loopTurnMs / 10; performance.now() < until; );
      return [{ felt: '/navn', for: null, etter: 'TINDEVÅG AS' }]
    },
  }))
  const page = { changes, cursor: { nr: sizeMax, mark: 1 }, hasMore: false, isEarly: false }
  const front = await startPageFront(closedPages(), {
    changes: {
      verifier: { verify: () => ({ ok: true, key }), atHand: () => null },
      reader: {
        atHand: () => null,
        shared: () => null,
        read: () => Promise.reject(new Error('not asked for')),
        readPart: async () => ({ outcome: 'crowded', forced: null }),
        waiting: () => 0,
      },
      changes: {
        ...noChanges,
        watcherOf: async () => ({ eier: key.id, prove: false }),
        log: {
          ...noChanges.log,
          read: async () => ({ outcome: 'page', ...page }),
          ofCompany: async () => page,
        },
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
})
