import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import { parseOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import {
  ACCOUNTS_ARCHIVE_CHANNEL,
  type AccountsArchiveEvent,
  createArchivedAccounts,
} from '#src/record/archived-accounts.ts'
import { takeApartFiling } from '#src/sources/regnskap/kept-filing.ts'
import type { RegisterRegnskap } from '#src/sources/regnskap/schema.ts'
import { type Answer, SourceError } from '#src/sources/source.ts'
import type { KeptFiling } from '#src/storage/accounts-archive.ts'
import { eventually } from '#test/support/eventually.ts'
import { absent, fetchedAt, found } from './parts.ts'

const ORGNR = parseOrganisasjonsnummer('901012121')
const OTHER = parseOrganisasjonsnummer('923609016')
const BEFORE = new Date('2025-08-01T10:00:00Z')
const call = () => ({ signal: AbortSignal.timeout(1000) })

const filing = (year: number, changes: Partial<RegisterRegnskap> = {}): RegisterRegnskap => ({
  id: year,
  regnskapstype: 'SELSKAP',
  virksomhet: { organisasjonsnummer: ORGNR },
  regnskapsperiode: { fraDato: `${year}-01-01`, tilDato: `${year}-12-31` },
  valuta: 'NOK',
  eiendeler: { sumEiendeler: year },
  ...changes,
})
const kept = (regnskap: RegisterRegnskap): KeptFiling => ({
  orgnr: ORGNR,
  ...takeApartFiling(regnskap),
  kilde: 'regnskapsregisteret',
  hentet: BEFORE,
  felt: null,
})

let answer: Answer<RegisterRegnskap[]> | Error
let archive: KeptFiling[] | Error | 'hangs'
let written: number[][]
let erased: string[]
let isWritable: boolean
/** What is kept waits for this. */
let room: Promise<void>
let warnings: number
let events: AccountsArchiveEvent[]
const onEvent = (event: unknown) => void events.push(event as AccountsArchiveEvent)

beforeEach(() => {
  answer = found([filing(2025)])
  archive = []
  written = []
  erased = []
  isWritable = true
  room = Promise.resolve()
  warnings = 0
  events = []
  subscribe(ACCOUNTS_ARCHIVE_CHANNEL, onEvent)
})
afterEach(() => void unsubscribe(ACCOUNTS_ARCHIVE_CHANNEL, onEvent))

function open() {
  return createArchivedAccounts({
    async fetchRegnskap() {
      if (answer instanceof Error) throw answer
      return answer
    },
    archive: {
      async read() {
        if (archive === 'hangs') await new Promise(() => {})
        if (archive instanceof Error) throw archive
        return archive as KeptFiling[]
      },
      async keep(filings) {
        if (!isWritable) throw new Error('no room')
        await room
        written.push(filings.map(({ id }) => id))
        return filings.map(() => 'ny' as const)
      },
      async erase(orgnr) {
        if (!isWritable) throw new Error('no room')
        erased.push(orgnr)
      },
    },
    log: { warn: () => void warnings++ } as never,
    policy: { ...policy.accountsArchive, readWithinMs: 20, keepsLastMs: 60_000 },
  })
}
async function fetched() {
  const accounts = open()
  const got = await accounts.fetchRegnskap(ORGNR, call())
  await accounts.close()
  return got
}

describe('what the register gives', () => {
  it('is kept, and joined with what is kept already', async () => {
    answer = found([filing(2025), filing(2024)])
    archive = [kept(filing(2024)), kept(filing(2021))]
    const got = await fetched()
    expect(got).toMatchObject({ outcome: 'found', fetchedAt, avvik: [] })
    expect(got).not.toHaveProperty('livesAs')
    if (got.outcome !== 'found') throw new Error('expected accounts')
    expect(got.value).toMatchObject({ isArchiveRead: true, withoutLive: null })
    expect(got.value.live.map(({ id }) => id)).toEqual([2025, 2024])
    expect(got.value.archived).toEqual([
      {
        regnskap: { ...filing(2021), revisjon: {}, regnkapsprinsipper: {} },
        kilde: 'regnskapsregisteret',
        hentet: BEFORE.toISOString(),
        felt: null,
      },
    ])
    expect(written).toEqual([[2025]])
    expect(events).toEqual([{ kind: 'kept', filings: 1 }])
  })

  it('P11: is forgotten when the register says so: a 410 leaves no year behind', async () => {
    answer = { outcome: 'removed', slettedato: null, fetchedAt }
    archive = [kept(filing(2021))]
    expect(await fetched()).toEqual(answer)
    expect(erased).toEqual([ORGNR])
    isWritable = false
    expect(await fetched()).toEqual(answer)
    expect(events).toEqual([{ kind: 'failed', what: 'erase' }])
  })

  it('P11: attack: is forgotten however much of others waits to be kept; what waits of its own is waited for', async () => {
    const { promise, resolve: makeRoom } = Promise.withResolvers<void>()
    room = promise
    const accounts = open()
    await accounts.fetchRegnskap(OTHER, call())
    answer = { outcome: 'removed', slettedato: null, fetchedAt }
    const removed = accounts.fetchRegnskap(ORGNR, call())
    await eventually('it is forgotten', () => erased.includes(ORGNR))
    await removed
    expect(written).toEqual([])
    const own = accounts.fetchRegnskap(OTHER, call())
    await Promise.race([own, new Promise(setImmediate)])
    expect(erased).toEqual([ORGNR])
    makeRoom()
    await own
    expect([written, erased]).toEqual([[[2025]], [ORGNR, OTHER]])
    await accounts.close()
  })

  it('and can not be read in part is kept only where there is none of it', async () => {
    const unread = (year: number) => ({ ...filing(year), eiendeler: { sumEiendeler: null } })
    answer = found([unread(2025), unread(2024), { ...filing(2023), id: null }])
    archive = [kept(filing(2025))]
    await fetched()
    expect(written).toEqual([[2024]])
    archive = 'hangs'
    await fetched()
    expect(written).toEqual([[2024]])
  })

  it('and is kept already costs no write', async () => {
    archive = [kept(filing(2025))]
    await fetched()
    expect(written).toEqual([])
  })

  it('with other figures under the same id is written again', async () => {
    archive = [kept(filing(2025, { eiendeler: { sumEiendeler: 1 } }))]
    await fetched()
    expect(written).toEqual([[2025]])
  })

  it('twice in one answer is written once', async () => {
    answer = found([filing(2025), filing(2025)])
    await fetched()
    expect(written).toEqual([[2025]])
  })

  it('of a kind that is neither company nor group is kept', async () => {
    answer = found([filing(2025), filing(2024, { regnskapstype: 'NY' })])
    await fetched()
    expect(written).toEqual([[2025, 2024]])
  })
})

describe('an archive that fails costs the reader nothing of the register’s answer', () => {
  it('a failed write is counted and logged, and the next fetch repeats it', async () => {
    isWritable = false
    const accounts = open()
    expect(await accounts.fetchRegnskap(ORGNR, call())).toMatchObject({ outcome: 'found' })
    await accounts.fetchRegnskap(ORGNR, call())
    await accounts.close()
    expect(events).toEqual(Array(2).fill({ kind: 'failed', what: 'write' }))
    // One line for many.
    expect(warnings).toBe(1)
    isWritable = true
    await accounts.fetchRegnskap(ORGNR, call())
    await accounts.close()
    expect(written).toEqual([[2025]])
  })

  it.each([['hangs' as const], [new Error('away')]])(
    'P2: unread, the answer says so and lives shortly: %s',
    async (how) => {
      archive = how
      expect(await fetched()).toMatchObject({
        outcome: 'found',
        value: { live: [{ id: 2025 }], archived: [], isArchiveRead: false },
        livesAs: 'partial',
      })
      // Not known to be kept: whoever writes compares again.
      expect(written).toEqual([[2025]])
    },
  )

  it('"not supported" is not said for long either while the archive is unread', async () => {
    archive = new Error('away')
    answer = { outcome: 'unsupported', certain: true, fetchedAt }
    expect(await fetched()).toMatchObject({ outcome: 'unsupported', livesAs: 'partial' })
    answer = absent
    expect(await fetched()).toEqual(absent)
  })
})

describe('a register that gives none itself', () => {
  it.each<[Answer<RegisterRegnskap[]>, string, string]>([
    [absent, 'absent', 'absent'],
    [{ outcome: 'unsupported', certain: true, fetchedAt }, 'unsupported', 'unsupported'],
    [{ outcome: 'unsupported', certain: false, fetchedAt }, 'unsupported_uncertain', 'unsupported'],
  ])(
    'has its years from the archive, for as long as it would have said so: %j',
    async (said, why, livesAs) => {
      answer = said
      archive = [kept(filing(2019)), { ...kept(filing(2018)), hentet: new Date(0) }]
      expect(await fetched()).toMatchObject({
        outcome: 'found',
        value: {
          live: [],
          withoutLive: why,
          archived: [{ regnskap: { id: 2019 } }, { regnskap: { id: 2018 } }],
        },
        fetchedAt: BEFORE,
        livesAs,
      })
      archive = []
      expect(await fetched()).toEqual(said)
    },
  )

  it('fails as before when it can not be heard: the breaker and the copies at hand come first', async () => {
    answer = new SourceError('regnskap', 'nettverk', 'away')
    archive = [kept(filing(2019))]
    await expect(fetched()).rejects.toBe(answer)
  })
})

describe('what is remembered', () => {
  it('is all that is kept, as of when it was fetched', async () => {
    archive = [kept(filing(2025)), kept(filing(2024))]
    expect(await open().remembered(ORGNR)).toMatchObject({
      outcome: 'found',
      value: {
        live: [],
        archived: [{ regnskap: { id: 2025 } }, { regnskap: { id: 2024 } }],
        withoutLive: null,
      },
      fetchedAt: BEFORE,
    })
  })

  it('is nothing where nothing is kept, or the archive is away', async () => {
    expect(await open().remembered(ORGNR)).toBeNull()
    archive = new Error('away')
    expect(await open().remembered(ORGNR)).toBeNull()
  })
})
