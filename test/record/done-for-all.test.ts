import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { setTimeout as pause } from 'node:timers/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import { askedBy, whoAsks } from '#src/core/asker.ts'
import { createLog } from '#src/core/log.ts'
import { parseOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import {
  ACCOUNTS_ARCHIVE_CHANNEL,
  type AccountsArchiveEvent,
  createArchivedAccounts,
} from '#src/record/archived-accounts.ts'
import { createHeldDeliveries } from '#src/record/held-deliveries.ts'
import { createTombstones } from '#src/record/tombstones.ts'
import { type Answer, NOBODYS_TURN } from '#src/sources/source.ts'
import { eventually } from '#test/support/eventually.ts'
import { absent, found } from './parts.ts'

const ORGNR = parseOrganisasjonsnummer('901012121')
const log = createLog({ level: 'silent', file: null })
const READER = 'kjede1234567'

const filing = {
  id: 2025,
  regnskapstype: 'SELSKAP',
  virksomhet: { organisasjonsnummer: ORGNR },
  regnskapsperiode: { fraDato: '2025-01-01', tilDato: '2025-12-31' },
  valuta: 'NOK',
  eiendeler: { sumEiendeler: 2025 },
} as never

/** Who asks PostgreSQL of what one reader has set going. */
function createStore() {
  const askers: string[] = []
  const asked =
    <T>(answer: T) =>
    async () => {
      askers.push(whoAsks())
      return answer
    }
  return { askers, asked }
}

it('P61: attack: accounts that are kept are joined with what all are shown for all of them, whoever reads too much besides', async () => {
  const { askers, asked } = createStore()
  const answers: Answer<never[]>[] = [
    found([filing]),
    absent,
    { outcome: 'removed', slettedato: null, fetchedAt: new Date() },
  ]
  const accounts = createArchivedAccounts({
    fetchRegnskap: async () => answers.shift() as never,
    archive: { read: asked([]), keep: asked([]), erase: asked(undefined) },
    log,
    policy: { ...policy.accountsArchive, readWithinMs: 20_000 },
  })
  const call = { signal: AbortSignal.timeout(20_000), turn: NOBODYS_TURN }
  while (answers.length > 0) await askedBy(READER, () => accounts.fetchRegnskap(ORGNR, call))
  await accounts.close()
  // Read each time, kept once, erased once.
  expect(askers).toEqual(Array(5).fill('alle'))
})

it('P61: attack: what is written for all leaves a place to what is read for all, whatever holds the writing up', () => {
  const written = policy.accountsArchive.keepsAtOnce + policy.looks.writesAtOnce
  expect(written).toBeLessThan(policy.database.forOneMax)
})

describe('of many companies’ accounts, while none comes to its end,', () => {
  const { keepsAtOnce, keepsWaitingMax } = policy.accountsArchive
  let mayEnd: PromiseWithResolvers<void>
  let underWay: number
  let most: number
  let ended: number
  beforeEach(() => {
    mayEnd = Promise.withResolvers()
    underWay = 0
    most = 0
    ended = 0
  })

  /** So many are read, and all that may are being kept. */
  async function reading(many: number, { keepsLastMs }: { keepsLastMs: number }) {
    const accounts = createArchivedAccounts({
      fetchRegnskap: async () => found([filing]) as never,
      archive: {
        read: async () => [],
        async keep() {
          underWay += 1
          most = Math.max(most, underWay)
          await mayEnd.promise
          underWay -= 1
          ended += 1
          return []
        },
        erase: async () => {},
      },
      log,
      policy: {
        ...policy.accountsArchive,
        readWithinMs: 20_000,
        keepAfterMs: 0,
        keepsWaitMs: 60_000,
        keepsLastMs,
      },
    })
    const call = { signal: AbortSignal.timeout(20_000), turn: NOBODYS_TURN }
    await Promise.all(Array.from({ length: many }, () => accounts.fetchRegnskap(ORGNR, call)))
    await eventually('some are being kept', () => underWay >= keepsAtOnce)
    return accounts
  }

  it('P61: attack: few are kept at once', async () => {
    let refused = 0
    const onEvent = (event: unknown) => {
      if ((event as AccountsArchiveEvent).kind === 'failed') refused += 1
    }
    subscribe(ACCOUNTS_ARCHIVE_CHANNEL, onEvent)
    const accounts = await reading(keepsAtOnce + keepsWaitingMax + 10, { keepsLastMs: 60_000 })
    // They are kept at the next fetch.
    await eventually('those that find no place in the line are refused', () => refused === 10)
    unsubscribe(ACCOUNTS_ARCHIVE_CHANNEL, onEvent)
    mayEnd.resolve()
    await accounts.close()
    expect({ most, ended }).toEqual({ most: keepsAtOnce, ended: keepsAtOnce + keepsWaitingMax })
  })

  it('P36: attack: a process that ends waits for those under way alone', async () => {
    const keepsLastMs = 1
    const accounts = await reading(keepsAtOnce + 10, { keepsLastMs })
    const closed = accounts.close()
    // A timer of as long that was begun later.
    await pause(keepsLastMs)
    mayEnd.resolve()
    await closed
    expect(ended).toBe(keepsAtOnce)
  })
})

it('P11: attack: who is removed is buried in nobody’s name, whoever reads too much besides', async () => {
  const { askers, asked } = createStore()
  const tombstones = createTombstones({
    listSince: async () => [],
    bury: asked(undefined),
    log,
    policy: { lookEveryMs: 60_000, pageSize: 2 },
  })
  askedBy(READER, () => tombstones.remove(ORGNR, null))
  await tombstones.settled()
  expect(askers).toEqual([''])
  await tombstones.close()
})

it('P61: attack: which years there are, which all wait for, is looked for in nobody’s name', async () => {
  const { askers, asked } = createStore()
  const deliveries = createHeldDeliveries({
    read: asked([]),
    onChange: () => {},
    log,
    policy: { lookEveryMs: 60_000 },
  })
  await askedBy(READER, deliveries.reload)
  expect(askers).toEqual([''])
})
