import { expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import { askedBy, whoAsks } from '#src/core/asker.ts'
import { createLog } from '#src/core/log.ts'
import { parseOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import { createArchivedAccounts } from '#src/record/archived-accounts.ts'
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

it('P61: attack: of many companies’ accounts few are kept at once, while none comes to its end', async () => {
  const { keepsAtOnce, keepsWaitingMax } = policy.accountsArchive
  const mayEnd = Promise.withResolvers<void>()
  let underWay = 0
  let most = 0
  let ended = 0
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
    policy: { ...policy.accountsArchive, readWithinMs: 20_000, keepAfterMs: 0, keepsWaitMs: 60_000 },
  })
  const call = { signal: AbortSignal.timeout(20_000), turn: NOBODYS_TURN }
  const many = keepsAtOnce + keepsWaitingMax + 10
  await Promise.all(Array.from({ length: many }, () => accounts.fetchRegnskap(ORGNR, call)))
  await eventually('some are being kept', () => underWay >= keepsAtOnce)
  mayEnd.resolve()
  await accounts.close()
  // Those that found no place in the line are kept at the next fetch.
  expect({ most, ended }).toEqual({ most: keepsAtOnce, ended: keepsAtOnce + keepsWaitingMax })
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
