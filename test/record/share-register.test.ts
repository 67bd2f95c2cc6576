import { beforeEach, describe, expect, it } from 'vitest'
import { createLog } from '#src/core/log.ts'
import { parseOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import { createHeldDeliveries } from '#src/record/held-deliveries.ts'
import { NO_PERSON_IDS } from '#src/record/person-ids.ts'
import { createShareRegister, type ShareStorage } from '#src/record/share-register.ts'
import { NoStorageTurnError, StorageUnavailableError } from '#src/storage/database.ts'
import type { StoredHolder } from '#src/storage/shareholders/hidden-holders.ts'
import type { StoredBook } from '#src/storage/shareholders/read-books.ts'
import { type Delivery, DeliveryReplacedError } from '#src/storage/shareholders/read-deliveries.ts'

const ORGNR = parseOrganisasjonsnummer('923609016')
const OWNER = 974760673
const importert = new Date('2026-05-20T08:00:00Z')
const delivery = (id: number, aar: number, isCurrent = true): Delivery => ({
  id,
  aar,
  isCurrent,
  kilde: 'test',
  uttrekksdato: null,
  importert,
})

const owner: StoredHolder = {
  navn: 'EIER AS',
  fodselsaar: null,
  orgnr: OWNER,
  land: 'NO',
  aksjer: [[0, 10]],
  skjult: null,
}
const book = (leveranse: number): StoredBook => ({
  leveranse,
  navn: 'LYNGHEI AS',
  aksjerTotalt: 10,
  aksjerSum: 10,
  innehavere: 1,
  klasser: ['A'],
  storste: [owner],
})

/** Storage that has one book, the company's, in the newest of its years. */
function createFixture() {
  const seen = { looks: 0, asked: [] as unknown[], changes: 0, erased: new Set<string>() }
  let stored: Delivery[] | Error = []
  let failure: Error | null = null
  /** As the statements themselves do: what is asked of other years than there are is refused. */
  function check(ids: readonly number[]): void {
    if (failure !== null) throw failure
    if (stored instanceof Error) throw stored
    const current = stored.filter(({ isCurrent }) => isCurrent).map(({ id }) => id)
    if (!ids.every((id) => current.includes(id))) throw new DeliveryReplacedError()
  }
  const storage: ShareStorage = {
    async books(orgnr, ids) {
      seen.asked.push(ids)
      check(ids)
      return orgnr === Number(ORGNR) && ids[0] !== undefined ? [book(ids[0])] : []
    },
    async page({ delivery: id, orgnr }) {
      seen.asked.push(id)
      check([id])
      const { storste, ...facts } = book(id)
      return orgnr === Number(ORGNR) ? { ...facts, holders: storste } : null
    },
    async ownershipBooks(id, orgnrs) {
      seen.asked.push(id)
      check([id])
      return orgnrs.includes(Number(ORGNR)) ? [{ ...book(id), orgnr: Number(ORGNR) }] : []
    },
    async ownershipEdges(id, owners) {
      check([id])
      if (!owners.includes(OWNER)) return []
      return [
        { eier: OWNER, eid: Number(ORGNR), aksjer: 10, navn: 'LYNGHEI AS', aksjerTotalt: 10, aksjerSum: 10 },
      ]
    },
  }
  const deliveries = createHeldDeliveries({
    async read() {
      seen.looks += 1
      if (stored instanceof Error) throw stored
      return stored
    },
    onChange: () => {
      seen.changes += 1
    },
    log: createLog({ level: 'silent', file: null }),
    policy: { lookEveryMs: 60_000 },
  })
  const register = createShareRegister({
    personIds: () => NO_PERSON_IDS,
    deliveries,
    storage,
    isErased: (orgnr) => seen.erased.has(orgnr),
  })
  return {
    seen,
    deliveries,
    register,
    has: (years: Delivery[] | Error) => {
      stored = years
    },
    fails: (error: Error | null) => {
      failure = error
    },
  }
}

const page = (aar: number | null, from: number | null = null) => ({ aar, from, after: 0, limit: 10 })

let fixture: ReturnType<typeof createFixture>
beforeEach(() => {
  fixture = createFixture()
})

it('P61: attack: who has too many questions under way for one more is told so, and of the archive it says nothing', async () => {
  fixture.has(new NoStorageTurnError(null, { isOwn: true }))
  for (const read of [() => fixture.register.aksjonaerer(ORGNR), () => fixture.register.eierskap(ORGNR)])
    await expect(read()).rejects.toMatchObject({ failure: 'opptatt' })
})

describe('which years there are', () => {
  it('is not known to be none while PostgreSQL has not answered', async () => {
    fixture.has(new StorageUnavailableError(null))
    await fixture.deliveries.start()
    expect(fixture.register.isEmpty()).toBe(false)
    await expect(fixture.register.aksjonaerer(ORGNR)).rejects.toMatchObject({
      source: 'aksjonaerer',
      failure: 'nettverk',
    })
    fixture.has([])
    await fixture.deliveries.reload()
    expect(fixture.register.isEmpty()).toBe(true)
    await fixture.deliveries.close()
  })

  it('whoever made something of them hears when they change, and only then', async () => {
    fixture.has([delivery(1, 2024)])
    await fixture.deliveries.reload()
    const edition = fixture.register.edition()
    await fixture.deliveries.reload()
    expect(fixture.seen.changes).toBe(1)
    expect(fixture.register.edition()).toBe(edition)
    fixture.has([delivery(2, 2024), delivery(1, 2024, false)])
    await fixture.deliveries.reload()
    expect(fixture.seen.changes).toBe(2)
    expect(fixture.register.edition()).not.toBe(edition)
    expect(fixture.register.leveranseOf(1)).toEqual({ kilde: 'test', uttrekksdato: null })
  })
})

describe('a reading', () => {
  beforeEach(async () => {
    fixture.has([delivery(2, 2024), delivery(1, 2023)])
    await fixture.deliveries.reload()
  })

  it('is of all years’ own deliveries, and as of when the last file came', async () => {
    const answer = await fixture.register.aksjonaerer(ORGNR)
    expect(answer).toMatchObject({ outcome: 'found', fetchedAt: importert })
    if (answer.outcome !== 'found') throw new Error('expected an answer')
    expect(fixture.register.showShares(answer.value)).toMatchObject({
      aar: 2024,
      leveranse: { kilde: 'test' },
      storste: [{ navn: 'EIER AS' }],
    })
    expect(fixture.seen.asked).toEqual([[2, 1]])
  })

  it('of a company that is in none is absent', async () => {
    const other = parseOrganisasjonsnummer('974760673')
    expect(await fixture.register.aksjonaerer(other)).toMatchObject({ outcome: 'absent' })
    const nobody = parseOrganisasjonsnummer('973160834')
    expect(await fixture.register.eierskap(nobody)).toMatchObject({ outcome: 'absent' })
    // It owns, though nobody owns it.
    expect(await fixture.register.eierskap(other)).toMatchObject({ outcome: 'found' })
  })

  it('P18: that meets a delivery which was just replaced is of the new one', async () => {
    fixture.has([delivery(3, 2024), delivery(2, 2024, false), delivery(1, 2023)])
    expect(await fixture.register.aksjonaerer(ORGNR)).toMatchObject({
      value: {
        leveranser: { aar: [2024, 2023], id: [3, 1] },
      },
    })
    expect(await fixture.register.ownership(ORGNR, { aar: 2024, retning: 'begge' })).toMatchObject({
      outcome: 'found',
      delivery: { id: 3 },
    })
    expect(fixture.seen.looks).toBe(2)
  })

  it('P18: a year that is replaced again and again is given up after some tries', async () => {
    fixture.fails(new DeliveryReplacedError())
    await expect(fixture.register.eierskap(ORGNR)).rejects.toMatchObject({
      source: 'eierskap',
      failure: 'feilstatus',
    })
    expect(fixture.seen.asked).toHaveLength(3)
  })

  it('PostgreSQL that says no costs the section, a fault of ours is one', async () => {
    fixture.fails(Object.assign(new Error('lock'), { code: '55P03' }))
    await expect(fixture.register.aksjonaerer(ORGNR)).rejects.toMatchObject({ failure: 'feilstatus' })
    const fault = new TypeError('x is not a function')
    fixture.fails(fault)
    await expect(fixture.register.aksjonaerer(ORGNR)).rejects.toBe(fault)
  })

  it('P11: names no holder that was removed', async () => {
    fixture.seen.erased.add(String(OWNER))
    const answers = [
      await fixture.register.aksjonaerer(ORGNR),
      await fixture.register.eierskap(ORGNR),
      await fixture.register.holders(ORGNR, page(null)),
    ]
    for (const answer of answers) {
      expect(answer.outcome).toBe('found')
      expect(JSON.stringify(answer)).not.toMatch(/EIER AS|974760673/)
    }
    fixture.seen.erased.add(ORGNR)
    const owned = await fixture.register.ownership(parseOrganisasjonsnummer('974760673'), {
      aar: null,
      retning: 'ned',
    })
    expect(JSON.stringify(owned)).not.toContain(ORGNR)
  })
})

describe('a page of holders', () => {
  beforeEach(async () => {
    fixture.has([delivery(2, 2024), delivery(1, 2023)])
    await fixture.deliveries.reload()
  })

  it('is of the newest year, or of the one asked for, or of the delivery it goes on in', async () => {
    expect(await fixture.register.holders(ORGNR, page(null))).toMatchObject({ delivery: { aar: 2024 } })
    expect(await fixture.register.holders(ORGNR, page(2023))).toMatchObject({ delivery: { aar: 2023 } })
    expect(await fixture.register.holders(ORGNR, page(null, 1))).toMatchObject({ delivery: { aar: 2023 } })
    expect(await fixture.register.holders(ORGNR, page(2021))).toEqual({ outcome: 'not_imported', aar: 2021 })
  })

  it('P18: never goes on in another delivery than it began in', async () => {
    fixture.has([delivery(3, 2024), delivery(2, 2024, false), delivery(1, 2023)])
    expect(await fixture.register.holders(ORGNR, page(null, 2))).toEqual({ outcome: 'replaced' })
    expect(await fixture.register.holders(ORGNR, page(null, 77))).toEqual({ outcome: 'replaced' })
    expect(await fixture.register.holders(ORGNR, page(null, 3))).toMatchObject({ delivery: { id: 3 } })
  })

  it('goes on in a delivery this process has not heard of', async () => {
    fixture.has([delivery(4, 2025), delivery(2, 2024), delivery(1, 2023)])
    expect(await fixture.register.holders(ORGNR, page(null, 4))).toMatchObject({ delivery: { aar: 2025 } })
  })
})
