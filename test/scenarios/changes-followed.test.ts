import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SAMPLE, sampleAnswers } from '../fixtures/samples/index.ts'
import { type Deployment, startDeployment } from '../support/deployment.ts'
import { eventually } from '../support/eventually.ts'
import { copyOf, inventNumbers } from '../support/invented-companies.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'

const { companies, klass } = sampleAnswers()
const sample = companies.get(SAMPLE.healthy) ?? {}
const [renamed = '', reroled = '', filed = '', deleted = '', uncached = '', ...many] = inventNumbers(11)

/** The promise; what is there sooner is not waited for longer. */
const WITHIN_MS = 60_000

let register: RegisterStandIn
let service: Deployment
let wayToCache: TcpProxy

beforeAll(async () => {
  const copies = inventNumbers(11).map((orgnr) => [orgnr, copyOf(sample, SAMPLE.healthy, orgnr)] as const)
  register = await startRegisterStandIn({ answers: { companies: new Map(copies), klass } })
  service = await startDeployment(register, {
    wayToCache: async (redis) => {
      wayToCache = await startTcpProxy({ upstream: redis })
      return `redis://${wayToCache.host}:${wayToCache.port}`
    },
  })
})
afterAll(async () => {
  await service.close()
  await wayToCache.close()
  await register.close()
})

const path = (orgnr: string) => `/api/bedrift/${orgnr}`

/** From now on the registers know it so. */
function change(orgnr: string, words: Readonly<Record<string, string>>): void {
  for (const [name, answer] of Object.entries(copyOf(sample, SAMPLE.healthy, orgnr, words)))
    register.set(orgnr, name as 'enhet', answer)
}

async function hold(orgnrs: readonly string[]): Promise<void> {
  for (const orgnr of orgnrs)
    for (const { body } of await service.getFromAll(path(orgnr))) expect(body.komplett).toBe(true)
  register.calls.reset()
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

describe('a change in the registers', { timeout: WITHIN_MS + 10_000 }, () => {
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
    const asked = (orgnr: string) =>
      (['enhet', 'roller', 'signatur', 'prokura', 'regnskap', 'kunngjoringer'] as const).filter(
        (source) => register.calls.count(source, orgnr) > 0,
      )
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
