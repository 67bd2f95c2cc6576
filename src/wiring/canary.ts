import type { Environment } from '#config/environment.ts'
import { policy } from '#config/policy.ts'
import type { Clock } from '#src/core/clock.ts'
import type { Log } from '#src/core/log.ts'
import { parseOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import { repeat } from '#src/core/repeat.ts'
import { type CanaryQuestion, type CanaryResult, keepRun, runCanary } from '#src/ops/canary/canary.ts'
import { askOf } from '#src/sources/ask.ts'
import type { Source } from '#src/sources/descriptor.ts'
import { type CompanySource, companySources, sourceOf } from '#src/sources/index.ts'
import {
  createRegisterClient,
  type RegisterClient,
  type RegisterResponse,
} from '#src/sources/register-client.ts'
import { takeNight } from '#src/storage/canary-runs.ts'
import type { Database } from '#src/storage/database.ts'
import { canaryNight } from '#workers/canary-night.ts'

/**
 * Asks the registers once, by the sources' own questions, over one connection of its own: readers' places, breakers and
 * retries are not touched by it.
 */
export async function askRegisters(
  {
    registerUrl,
    kunngjoringUrl,
    kunngjoringer,
    contact,
  }: Pick<Environment, 'registerUrl' | 'kunngjoringUrl' | 'kunngjoringer' | 'contact'>,
  { numbers, pauseMs, signal }: { numbers: CanaryNumbers; pauseMs: number; signal: AbortSignal },
): Promise<CanaryResult> {
  const open = (url: string) =>
    createRegisterClient({
      baseUrl: new URL(url),
      userAgent: `bedriftsoppslag/1 kanari (${contact})`,
      ...policy.registers,
      connectionsMax: 1,
    })
  const registers = open(registerUrl)
  const pages = kunngjoringer === 'av' ? null : open(kunngjoringUrl)
  try {
    return await runCanary(questionsTo({ registers, pages }, numbers), {
      ...policy.canary,
      pauseMs,
      signal: AbortSignal.any([signal, AbortSignal.timeout(policy.canary.runMs)]),
    })
  } finally {
    await Promise.all([registers.close(), pages?.close()])
  }
}

export type CanaryNumbers = { enheter: readonly string[]; underenheter: readonly string[] }

/** @param pages null: those that are for people are not asked for, and are switched off for readers too */
function questionsTo(
  { registers, pages }: { registers: RegisterClient; pages: RegisterClient | null },
  { enheter, underenheter }: CanaryNumbers,
): CanaryQuestion[] {
  let last: RegisterResponse | null = null
  // One call at a time: the last answer is the answer to the last question.
  const listeningTo = (client: RegisterClient): RegisterClient => ({
    ...client,
    async get(...call) {
      last = null
      last = await client.get(...call)
      return last
    },
  })
  const question = (name: CompanySource, orgnr: string, client = registers): CanaryQuestion => {
    const source = sourceOf(name)
    const ask = askOf(source, listeningTo(client))
    return {
      source: name,
      orgnr,
      schemaOf: source.schemaOf,
      ask(signal) {
        last = null
        return { answer: ask(parseOrganisasjonsnummer(orgnr), { signal }), body: () => bodyOf(last, source) }
      },
    }
  }
  const isSparing = (name: CompanySource) => sourceOf(name).sparing !== null
  const sparingly = companySources.filter(isSparing)
  const mayAsk = companySources.filter((name) => !isSparing(name) && name !== 'underenhet')
  return [
    ...enheter.flatMap((orgnr) => mayAsk.map((name) => question(name, orgnr))),
    ...underenheter.map((orgnr) => question('underenhet', orgnr)),
    // Once a night: what is asked sparingly is asked for as little as may be.
    ...enheter.slice(0, 1).flatMap((orgnr) =>
      sparingly.flatMap((name) => {
        const client = sourceOf(name).sparing?.isForPeople ? pages : registers
        return client === null ? [] : [question(name, orgnr, client)]
      }),
    ),
  ]
}

/** What stands in a 200 that can be looked into; undefined for anything else. */
function bodyOf(response: RegisterResponse | null, { formOf }: Pick<Source, 'formOf'>): unknown {
  if (response === null || response.status !== 200) return undefined
  try {
    return formOf === undefined ? JSON.parse(response.body.toString()) : formOf(response)
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
