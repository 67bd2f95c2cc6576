import type { Environment } from '#config/environment.ts'
import { policy } from '#config/policy.ts'
import type { Clock } from '#src/core/clock.ts'
import type { Log } from '#src/core/log.ts'
import { parseOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import { type CanaryQuestion, type CanaryResult, keepRun, runCanary } from '#src/ops/canary/canary.ts'
import { createRolesSource } from '#src/sources/enhetsregisteret/roles.ts'
import { Enhet, Rollesvar, Underenhet } from '#src/sources/enhetsregisteret/schema.ts'
import { createUnitSource } from '#src/sources/enhetsregisteret/unit.ts'
import { createAuthoritySource } from '#src/sources/fullmakt/authority.ts'
import { Fullmaktsvar } from '#src/sources/fullmakt/schema.ts'
import {
  createRegisterClient,
  type RegisterClient,
  type RegisterResponse,
} from '#src/sources/register-client.ts'
import { createAccountsSource } from '#src/sources/regnskap/accounts.ts'
import { Regnskapssvar } from '#src/sources/regnskap/schema.ts'
import { takeNight } from '#src/storage/canary-runs.ts'
import type { Database } from '#src/storage/database.ts'
import { canaryNight } from '#workers/canary-night.ts'
import { repeat } from '#workers/repeat.ts'

/**
 * Asks the registers once, by the sources' own questions, over one connection of its own: readers' places, breakers and
 * retries are not touched by it.
 */
export async function askRegisters(
  { registerUrl, contact }: Pick<Environment, 'registerUrl' | 'contact'>,
  { numbers, pauseMs, signal }: { numbers: CanaryNumbers; pauseMs: number; signal: AbortSignal },
): Promise<CanaryResult> {
  const client = createRegisterClient({
    baseUrl: new URL(registerUrl),
    userAgent: `bedriftsoppslag/1 kanari (${contact})`,
    ...policy.registers,
    connectionsMax: 1,
  })
  try {
    return await runCanary(questionsTo(client, numbers), {
      ...policy.canary,
      pauseMs,
      signal: AbortSignal.any([signal, AbortSignal.timeout(policy.canary.runMs)]),
    })
  } finally {
    await client.close()
  }
}

export type CanaryNumbers = { enheter: readonly string[]; underenheter: readonly string[] }

function questionsTo(client: RegisterClient, { enheter, underenheter }: CanaryNumbers): CanaryQuestion[] {
  let last: RegisterResponse | null = null
  // One call at a time: the last answer is the answer to the last question.
  const listening: RegisterClient = {
    ...client,
    async get(...call) {
      last = null
      last = await client.get(...call)
      return last
    },
  }
  const units = createUnitSource(listening)
  const roles = createRolesSource(listening)
  const authority = createAuthoritySource(listening)
  const accounts = createAccountsSource(listening)
  const asks = {
    enhet: [units.fetchEnhet, living(Enhet)],
    underenhet: [units.fetchUnderenhet, living(Underenhet)],
    roller: [roles.fetchRoller, () => Rollesvar],
    signatur: [authority.fetchSignatur, () => Fullmaktsvar],
    prokura: [authority.fetchProkura, () => Fullmaktsvar],
    regnskap: [accounts.fetchRegnskap, () => Regnskapssvar],
  } as const
  const question = (source: keyof typeof asks, orgnr: string): CanaryQuestion => {
    const [fetch, schemaOf] = asks[source]
    return {
      source,
      orgnr,
      schemaOf,
      ask(signal) {
        last = null
        return { answer: fetch(parseOrganisasjonsnummer(orgnr), { signal }), body: () => jsonOf(last) }
      },
    }
  }
  return [
    ...enheter.flatMap((orgnr) =>
      (['enhet', 'roller', 'signatur', 'prokura', 'regnskap'] as const).map((source) =>
        question(source, orgnr),
      ),
    ),
    ...underenheter.map((orgnr) => question('underenhet', orgnr)),
  ]
}

/** A deleted unit has another shape, which says nothing of this one's. */
function living(schema: object) {
  return (body: unknown) =>
    typeof body === 'object' && body !== null && 'slettedato' in body ? null : schema
}

/** What stands in a 200 that is JSON; undefined for anything else. */
function jsonOf(response: RegisterResponse | null): unknown {
  if (response === null || response.status !== 200) return undefined
  try {
    return JSON.parse(response.body.toString())
  } catch {
    return undefined
  }
}

/** The nightly look, while the switch is on. */
export function startCanary(
  environment: Environment,
  { database, clock, log }: { database: Database; clock: Clock; log: Log },
): { close(): Promise<void> } {
  if (environment.kanari === 'av') return { close: async () => {} }
  const { lookEveryMs, numbers, pauseMs } = policy.canary
  return repeat('the canary', { afterMs: lookEveryMs, retryMs: lookEveryMs, log }, (signal) =>
    canaryNight({
      take: (night) => takeNight(database, night),
      ask: (until) => askRegisters(environment, { numbers, pauseMs, signal: until }),
      keep: (run) => keepRun(database, run, policy.canary),
      clock,
      log,
      signal,
      policy: policy.canary,
    }),
  )
}
