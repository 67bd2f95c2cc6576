import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { answersWithCopies } from './invented-companies.ts'
import { type RegisterStandIn, startRegisterStandIn } from './register-stand-in.ts'
import { issueToken, loadIndustryCodes } from './service.ts'
import { variablesOf } from './variables-of.ts'

/** What a process of the service finds around it: the registers, a database with the industry codes, and a reader's key. */
export type Surroundings = {
  readonly register: RegisterStandIn
  readonly storage: TestDatabase
  readonly token: string
  /** The key of another reader. */
  issue(): Promise<string>
  /** What a process is told, to be at home here: with neither Redis, unless `stores` has it, or another way to the database. */
  variables(stores?: Partial<Omit<Parameters<typeof variablesOf>[0], 'register'>>): Record<string, string>
  close(): Promise<void>
}

/** @param options `copies`: the numbers under which the registers know the healthy sample as well */
export async function startSurroundings({
  copies = [],
}: {
  copies?: readonly Organisasjonsnummer[]
} = {}): Promise<Surroundings> {
  const [register, storage] = await Promise.all([
    startRegisterStandIn({ answers: answersWithCopies(copies) }),
    createTestDatabase(),
  ])
  await loadIndustryCodes(storage)
  return {
    register,
    storage,
    token: await issueToken(storage),
    issue: () => issueToken(storage),
    variables: (stores = {}) => variablesOf({ register, databaseUrl: storage.url, ...stores }),
    async close() {
      await Promise.all([storage.close(), register.close()])
    },
  }
}
