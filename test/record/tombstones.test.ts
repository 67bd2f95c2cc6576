import { describe, expect, it } from 'vitest'
import { createLog } from '#src/core/log.ts'
import { createTombstones } from '#src/record/tombstones.ts'
import { eventually } from '../support/eventually.ts'

function createStore() {
  const store = {
    isAway: false,
    /** What comes after this number can not be read. */
    readableTo: Number.POSITIVE_INFINITY,
    /** Looks wait for it. */
    until: Promise.resolve(),
    looks: 0,
    buried: [] as { organisasjonsnummer: string; slettedato: string | null; number: number }[],
    async listSince(number: number, limit: number) {
      await store.until
      store.looks += 1
      if (store.isAway || number >= store.readableTo) throw new Error('away')
      return store.buried.filter((each) => each.number > number).slice(0, limit)
    },
    async bury(removals: { organisasjonsnummer: string; slettedato: string | null }[]) {
      if (store.isAway) throw new Error('away')
      for (const removal of removals) store.buried.push({ ...removal, number: store.buried.length + 1 })
    },
  }
  return store
}

function createProcess(store: ReturnType<typeof createStore>) {
  const forgotten: string[] = []
  const tombstones = createTombstones({
    listSince: store.listSince,
    bury: store.bury,
    log: createLog({ level: 'silent', file: null }),
    policy: { lookEveryMs: 5, pageSize: 2 },
  })
  tombstones.onErased((orgnr) => forgotten.push(orgnr))
  return { tombstones, forgotten }
}

describe('P11: tombstones', () => {
  it('a removal holds in this process from the moment it is told, and is buried', async () => {
    const store = createStore()
    const { tombstones, forgotten } = createProcess(store)
    await tombstones.start()
    tombstones.remove('901012121', '2026-11-20')
    expect(tombstones.isErased('901012121')).toBe(true)
    expect(tombstones.slettedatoOf('901012121')).toBe('2026-11-20')
    expect(forgotten).toEqual(['901012121'])
    await tombstones.settled()
    expect(store.buried).toHaveLength(1)
    await tombstones.close()
  })

  it('other processes come to know it, page by page, also those that start later', async () => {
    const store = createStore()
    const here = createProcess(store)
    const there = createProcess(store)
    await there.tombstones.start()
    for (const orgnr of ['1', '2', '3', '4', '5']) here.tombstones.remove(orgnr, null)
    await here.tombstones.settled()
    await eventually('the other process knows', () => there.tombstones.isErased('5'))
    expect(there.forgotten.toSorted()).toEqual(['1', '2', '3', '4', '5'])
    const later = createProcess(store)
    await later.tombstones.start()
    expect(later.tombstones.isErased('3')).toBe(true)
    // It holds nothing yet, so there is nothing to forget, and the shared tier is the erasure's business.
    expect(later.forgotten).toEqual([])
    await Promise.all([there.tombstones.close(), later.tombstones.close()])
  })

  it('with storage away it holds all the same, and is buried when storage is back', async () => {
    const store = createStore()
    const { tombstones } = createProcess(store)
    await tombstones.start()
    store.isAway = true
    tombstones.remove('901012121', null)
    await tombstones.settled()
    expect(tombstones.isErased('901012121')).toBe(true)
    expect(store.buried).toEqual([])
    store.isAway = false
    await eventually('it is buried', () => store.buried.length === 1)
    await tombstones.close()
  })

  it('P193: attack: storage that was set back: what comes there anew under known numbers is heard of, what it lost is buried again', async () => {
    const store = createStore()
    const here = createProcess(store)
    await here.tombstones.start()
    await store.bury(
      ['1', '2', '3'].map((organisasjonsnummer) => ({ organisasjonsnummer, slettedato: null })),
    )
    await eventually('all are known', () => here.tombstones.isErased('3'))
    store.buried.length = 1
    await store.bury(
      ['4', '5', '6'].map((organisasjonsnummer) => ({ organisasjonsnummer, slettedato: null })),
    )
    await eventually('the others are known', () => ['4', '5', '6'].every(here.tombstones.isErased))
    await eventually('what was lost is there', () => store.buried.length === 6)
    expect(store.buried.map(({ organisasjonsnummer }) => organisasjonsnummer).toSorted()).toEqual([
      '1',
      '2',
      '3',
      '4',
      '5',
      '6',
    ])
    await here.tombstones.close()
  })

  it('P193: attack: what a look had read before it broke off is buried again by storage that was set back to before it', async () => {
    const store = createStore()
    const { tombstones } = createProcess(store)
    await tombstones.start()
    const bury = (...numbers: string[]) =>
      store.bury(numbers.map((organisasjonsnummer) => ({ organisasjonsnummer, slettedato: null })))
    await bury('1')
    await eventually('one is known', () => tombstones.isErased('1'))
    store.readableTo = 2
    await bury('2', '3', '4')
    await eventually('the first page of them is known', () => tombstones.isErased('2'))
    store.buried.length = 1
    store.readableTo = Number.POSITIVE_INFINITY
    await eventually('it is there again', () =>
      store.buried.some(({ organisasjonsnummer }) => organisasjonsnummer === '2'),
    )
    await tombstones.close()
  })

  it('P193: attack: what storage lost before anybody had looked is buried again, by who buried it and by who was told', async () => {
    const store = createStore()
    const here = createProcess(store)
    const told = createProcess(store)
    await Promise.all([here.tombstones.start(), told.tombstones.start()])
    const { promise, resolve } = Promise.withResolvers<void>()
    store.until = promise
    here.tombstones.remove('1', '2026-11-20')
    await here.tombstones.settled()
    expect(store.buried).toHaveLength(1)
    await store.bury([{ organisasjonsnummer: '900000002', slettedato: null }])
    told.tombstones.learned('900000002')
    store.buried.length = 0
    resolve()
    await eventually('both are there again', () => store.buried.length === 2)
    const { looks } = store
    await eventually('each has looked again', () => store.looks > looks + 10)
    const buried = store.buried.map(({ organisasjonsnummer, slettedato }) => [
      organisasjonsnummer,
      slettedato,
    ])
    expect(buried.toSorted()).toEqual([
      ['1', '2026-11-20'],
      ['900000002', null],
    ])
    await Promise.all([here.tombstones.close(), told.tombstones.close()])
  })

  it('P175: attack: that what is no company is removed, as somebody else has put it in the cache’s Redis, keeps no removal from being buried', async () => {
    const store = createStore()
    const { bury } = store
    // As PostgreSQL does: all of them or none.
    store.bury = async (removals) => {
      if (removals.some(({ organisasjonsnummer }) => !/^\d{9}$/.test(organisasjonsnummer)))
        throw new Error('23514')
      await bury(removals)
    }
    const { tombstones } = createProcess(store)
    await tombstones.start()
    tombstones.learned('sok-abc')
    const { looks } = store
    await eventually('it has looked again', () => store.looks > looks + 2)
    tombstones.remove('900000001', null)
    await eventually('it is buried', () => store.buried.length === 1)
    await tombstones.close()
  })

  it('a date that comes later is taken, and one that is known is not lost', async () => {
    const { tombstones, forgotten } = createProcess(createStore())
    await tombstones.start()
    tombstones.learned('1')
    expect(tombstones.slettedatoOf('1')).toBeNull()
    tombstones.remove('1', '2026-01-01')
    tombstones.learned('1')
    expect(tombstones.slettedatoOf('1')).toBe('2026-01-01')
    expect(forgotten).toEqual(['1'])
    await tombstones.close()
  })
})
