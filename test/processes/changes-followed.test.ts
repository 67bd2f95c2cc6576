import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { channelOf } from '#src/cache/redis-keys.ts'
import { systemClock } from '#src/core/clock.ts'
import { STORED_SCHEMA_VERSION } from '#src/record/stored-answer.ts'
import { openSharedTier } from '#src/wiring/shared-cache.ts'
import { SAMPLE, sampleAnswers } from '../fixtures/samples/index.ts'
import { type Deployment, startDeployment } from '../support/deployment.ts'
import { eventually } from '../support/eventually.ts'
import { answersWithCopies, copyOf, inventNumbers } from '../support/invented-companies.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'

const sample = sampleAnswers().companies.get(SAMPLE.healthy) ?? {}
const numbers = inventNumbers(11)
const [renamed = '', reroled = '', filed = '', deleted = '', uncached = '', ...many] = numbers
const sources = ['enhet', 'roller', 'signatur', 'prokura', 'regnskap', 'kunngjoringer'] as const

/** The promise; what is there sooner is not waited for longer. */
const WITHIN_MS = 60_000

let register: RegisterStandIn
let service: Deployment
let wayToCache: TcpProxy
/** The shared cache, seen from the side. */
let shared: ReturnType<typeof openSharedTier>

beforeAll(async () => {
  register = await startRegisterStandIn({ answers: answersWithCopies(numbers) })
  service = await startDeployment(register, {
    wayToCache: async (redis) => {
      wayToCache = await startTcpProxy({ upstream: redis })
      return `redis://${wayToCache.host}:${wayToCache.port}`
    },
  })
  shared = openSharedTier(service.cacheRedis.url, systemClock)
  // What a process read before it listened it believes for half a minute only.
  await eventually('both fronts, the worker and we listen', async () => (await listeners()) === 4)
})
afterAll(async () => {
  await Promise.all([shared.redis?.close(), shared.bus?.close()])
  await service.close()
  await wayToCache.close()
  await register.close()
})

const path = (orgnr: string) => `/api/bedrift/${orgnr}`

/** How many hear what happens in the shared cache. */
async function listeners(): Promise<number> {
  const redis = new Redis(service.cacheRedis.url)
  try {
    const [, count] = await redis.pubsub('NUMSUB', channelOf(STORED_SCHEMA_VERSION))
    return Number(count)
  } finally {
    redis.disconnect()
  }
}

/** From now on the registers know it so. */
function change(orgnr: string, words: Readonly<Record<string, string>>): void {
  for (const [name, answer] of Object.entries(copyOf(sample, SAMPLE.healthy, orgnr, words)))
    register.set(orgnr, name as 'enhet', answer)
}

/** Every process has all of it in its memory, and so has the shared cache. */
async function hold(orgnrs: readonly string[]): Promise<void> {
  for (const orgnr of orgnrs) await holdOne(orgnr)
  register.calls.reset()
}

/**
 * A process lets go of what another brought, until it reads that from Redis; and of what Redis was too late for, as soon as
 * anything of the company changes. Whatever it does not have when Redis is too late once more it asks the registers for, changed
 * or not. So what is not in Redis is brought anew, and what is there is read once more.
 */
async function holdOne(orgnr: string): Promise<void> {
  let forgetAt = Date.now() + 1000
  await eventually(`all of ${orgnr} is held everywhere`, async () => {
    await readWhole(orgnr)
    const inRedis = await shared.redis?.readCompany(orgnr)
    if (sources.every((source) => inRedis?.sections.has(source))) {
      register.calls.reset()
      await readWhole(orgnr)
      return register.calls.count(undefined, orgnr) === 0
    }
    if (Date.now() > forgetAt) {
      await shared.redis?.purge(orgnr, 'all')
      forgetAt = Date.now() + 1000
    }
    return false
  })
}

async function readWhole(orgnr: string): Promise<void> {
  for (const { body } of await service.getFromAll(path(orgnr))) expect(body.komplett).toBe(true)
}

/** Every process has it so, and fresh. */
// biome-ignore lint/suspicious/noExplicitAny: the body is what is being looked at
function served(orgnr: string, isSo: (body: any) => boolean): Promise<void> {
  return eventually(
    `every process serves the change of ${orgnr}`,
    async () => (await service.getFromAll(path(orgnr))).every(({ body }) => isSo(body)),
    WITHIN_MS,
  )
}

const isFresh = (...sections: { tilstand: string }[]) =>
  sections.every(({ tilstand }) => tilstand === 'fersk')

describe('a change in the registers', () => {
  it('P17: is served fresh by every process, in all sections it touches and no others', async () => {
    await hold([renamed, reroled, filed, deleted])
    change(renamed, { 'TINDEVÅG SJØMAT AS': 'NYTT NAVN AS' })
    change(reroled, { Øvrebø: 'Nyvalgt', 'Styrets leder alene.': 'Daglig leder alene.' })
    change(filed, { '7244': '7299', '2026-06-30': '2026-07-31' })
    change(deleted, { 'TINDEVÅG SJØMAT AS': 'SLETTET AS' })
    const newYear = sample.regnskap
    if (newYear === undefined || !('json' in newYear)) throw new Error('expected accounts')
    const [latest] = newYear.json as { id: number }[]
    register.set(filed, 'regnskap', {
      status: 200,
      json: [
        {
          ...latest,
          id: 1,
          journalnr: '2026999999',
          virksomhet: { organisasjonsnummer: filed, organisasjonsform: 'AS', morselskap: true },
        },
      ],
    })

    const endringstype = 'Endring'
    register.publish('enheter', {
      organisasjonsnummer: renamed,
      endringstype,
      endringer: [{ op: 'replace', path: '/navn', value: 'NYTT NAVN AS' }],
    })
    register.publish('enheter', {
      organisasjonsnummer: filed,
      endringstype,
      endringer: [{ op: 'replace', path: '/sisteInnsendteAarsregnskap', value: '2026' }],
    })
    register.publish('enheter', { organisasjonsnummer: uncached, endringstype: 'Ny' })
    register.publish('enheter', { organisasjonsnummer: deleted, endringstype: 'Sletting' })
    register.publish('roller', { organisasjonsnummer: reroled })

    await Promise.all([
      served(renamed, (body) => body.navn === 'NYTT NAVN AS' && isFresh(body.adresser)),
      served(deleted, (body) => body.navn === 'SLETTET AS' && isFresh(body.adresser)),
      served(filed, ({ regnskap }) => isFresh(regnskap) && JSON.stringify(regnskap).includes('2026999999')),
      served(
        reroled,
        ({ roller, signatur, prokura }) =>
          isFresh(roller, signatur, prokura) &&
          JSON.stringify(roller).includes('Nyvalgt') &&
          JSON.stringify(signatur).includes('Daglig leder alene.'),
      ),
    ])
    const asked = (orgnr: string) => sources.filter((source) => register.calls.count(source, orgnr) > 0)
    expect(asked(renamed)).toEqual(['enhet'])
    expect(asked(filed)).toEqual(['enhet', 'regnskap'])
    expect(asked(reroled)).toEqual(['roller', 'signatur', 'prokura'])
    expect(asked(uncached)).toEqual([])
  })

  it('P16: the worker is killed in the middle of a page: another takes over, and no event is skipped', async () => {
    await hold(many)
    // What the worker is told to do from here on does not reach the cache: it is stuck in the page.
    wayToCache.set({ kind: 'timeout', ms: 0, stream: 'upstream' })
    let last = 0
    for (const [index, organisasjonsnummer] of many.entries()) {
      change(organisasjonsnummer, { 'TINDEVÅG SJØMAT AS': `NAVN NUMMER ${index} AS` })
      last = register.publish('enheter', { organisasjonsnummer, endringstype: 'Endring', endringer: [] })
    }
    const reads = register.calls.count('oppdateringer/enheter')
    await eventually(
      'the worker has read the page',
      () =>
        register.calls.count('oppdateringer/enheter') > reads &&
        register.calls.inFlight('oppdateringer/enheter') === 0,
    )
    await service.worker.end('SIGKILL')
    await wayToCache.down()
    wayToCache.set()
    await wayToCache.up()

    const { database } = service.storage
    const position = async () => {
      const [row] = await database.query<{ id: string }>(
        `select siste_id as id from feed_posisjon where feed = 'enheter'`,
      )
      return Number(row?.id)
    }
    expect(await position()).toBeLessThan(last - 1)
    // The lease of whoever was killed runs out; that this takes less than 30 s is tested with the follower.
    await database.query('update feed_posisjon set leid_til = now()')
    await service.start('worker')

    await Promise.all(
      many.map((orgnr, index) =>
        served(orgnr, (body) => body.navn === `NAVN NUMMER ${index} AS` && isFresh(body.adresser)),
      ),
    )
    await eventually('the position is the last event', async () => (await position()) === last)
  })

  it('P16: the registers have begun their numbering anew: everything held is looked at again', async () => {
    await hold([renamed])
    change(renamed, { 'TINDEVÅG SJØMAT AS': 'NAVN UTEN HENDELSE AS' })
    register.publish('enheter', { organisasjonsnummer: uncached, endringstype: 'Ny' }, { id: 5 })
    await served(renamed, (body) => body.navn === 'NAVN UTEN HENDELSE AS' && isFresh(body.adresser))
  })
})
