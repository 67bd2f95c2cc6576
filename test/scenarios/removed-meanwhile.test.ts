import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import { fanOut } from '#src/storage/push/fan-out.ts'
import { hidePerson } from '#src/storage/shareholders/hidden-persons.ts'
import { SAMPLE, sampleAnswers } from '../fixtures/samples/index.ts'
import { buildFrom } from '../search/built-index.ts'
import { auditedBy } from '../support/doomed-company.ts'
import { eventually } from '../support/eventually.ts'
import { formBrowser } from '../support/form-browser.ts'
import { copyOf, inventNumbers } from '../support/invented-companies.ts'
import { makeEndpoint } from '../support/made-endpoint.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { putYear } from '../support/share-books.ts'
import { changeOf, writeInLog } from '../support/written-changes.ts'

const WORD = 'LUNDEGLEMSEL'
const KARI = { navn: 'KARI HOLDERSEN', fodselsaar: 1970, orgnr: null }
const sample = sampleAnswers()
const numbers = inventNumbers(30)
/** Each is called by a word of its own, so that a search finds it alone. */
const wordOf = (orgnr: string) => {
  const at = numbers.indexOf(orgnr as Organisasjonsnummer)
  return WORD + String.fromCharCode(65 + at / 10, 65 + (at % 10))
}
const called = (orgnr: string) =>
  copyOf(sample.companies.get(SAMPLE.healthy) ?? {}, SAMPLE.healthy, orgnr, {
    'TINDEVÅG SJØMAT AS': `${wordOf(orgnr)} AS`,
  })
const companies = new Map([...sample.companies, ...numbers.map((orgnr) => [orgnr, called(orgnr)] as const)])

let register: RegisterStandIn
let service: TestService
/** Waited for, removed meanwhile, and naming the one that is: the last two are at hand. */
let awaited: Organisasjonsnummer
let removed: Organisasjonsnummer
let naming: Organisasjonsnummer
let left = [...numbers]
beforeAll(async () => {
  register = await startRegisterStandIn({ answers: { ...sample, companies } })
  const enheter = numbers.flatMap((orgnr) => {
    const enhet = called(orgnr).enhet
    return enhet !== undefined && 'json' in enhet ? [enhet.json] : []
  })
  service = await startTestService(register, {
    isLoaded: true,
    workers: false,
    variables: { SOKEINDEKS: 'paa' },
    seed: async ({ url, database }) => {
      await buildFrom(url, { enheter, underenheter: [] })
      const holders = [{ n: KARI.navn, f: KARI.fodselsaar, l: 'NO', a: [[0, 100]] as [number, number][] }]
      await putYear(database, { aar: 2024, books: numbers.map((orgnr) => ({ orgnr, holders })) })
    },
  })
})
beforeEach(async () => {
  ;[awaited, removed, naming, ...left] = left as [
    Organisasjonsnummer,
    Organisasjonsnummer,
    Organisasjonsnummer,
  ]
  register.set(naming, 'roller', auditedBy(removed, wordOf(removed), naming))
  for (const orgnr of [removed, naming]) await service.get(`/api/bedrift/${orgnr}`)
})
afterAll(async () => {
  await service.close()
  await register.close()
})

const remove = () => service.tiers.tombstones.remove(removed, null)

describe('who is removed while a list is put together', () => {
  it.each(['application/x-ndjson', 'text/csv'])(
    'P11: attack: is not told of in what comes after it (%s)',
    async (accept) => {
      expect(await toldOf([awaited, naming, removed], accept)).toEqual(REMOVED_ALONE)
    },
  )

  it('P11: attack: is not told of in a table, which is sent when it is whole', async () => {
    expect(await toldOf([naming, removed, awaited], 'text/csv')).toEqual(REMOVED_ALONE)
  })

  const REMOVED_ALONE = { status: 200, removed: false, isSaid: true, naming: true }

  /** Of a list of which one is waited for, and another removed meanwhile. */
  async function toldOf(list: readonly string[], accept: string) {
    const opened = Promise.withResolvers<void>()
    register.setFault('roller', { kind: 'hold', until: opened.promise })
    const answer = service.call('POST', '/api/bedrift/oppslag', { body: list, headers: { accept } })
    await eventually('one is waited for', () => register.calls.inFlight('roller') > 0)
    remove()
    register.clearFaults()
    opened.resolve()
    return toldIn(await answer)
  }
})

it('P21: attack: who is hidden while a list is put together is not told of in what comes after it', async () => {
  const opened = Promise.withResolvers<void>()
  const shows = ({ text }: { text: string }) => text.includes(KARI.navn)
  const record = () => service.get(`/api/bedrift/${removed}`)
  expect(shows(await record())).toBe(true)
  register.setFault('roller', { kind: 'hold', until: opened.promise })
  const answer = service.call('POST', '/api/bedrift/oppslag', { body: [awaited, removed] })
  await eventually('one is waited for', () => register.calls.inFlight('roller') > 0)
  await hidePerson(service.storage.database, KARI)
  await eventually('the front has heard of it', async () => !shows(await record()))
  register.clearFaults()
  opened.resolve()
  const told = await answer
  expect([shows(told), told.text.includes(wordOf(removed))]).toEqual([false, true])
})

it('P11, P120: attack: who is removed is named in no list of what is watched, though nobody has erased it yet', async () => {
  const browser = formBrowser(service.address)
  await browser.logIn(service.token)
  const lists = async () => {
    const [all, one, page] = await Promise.all([
      service.get('/api/overvaking'),
      service.get(`/api/overvaking/${removed}`),
      browser.get('/overvaking'),
    ])
    return [all, one, page].map(({ text }) => text.includes(wordOf(removed)))
  }
  const watch = { body: { navn: wordOf(removed) } }
  expect((await service.call('PUT', `/api/overvaking/${removed}`, watch)).status).toBe(201)
  expect(await lists()).toEqual([true, true, true])
  remove()
  await service.tiers.tombstones.settled()
  expect(await lists()).toEqual([false, false, false])
})

it('P11, P120: attack: who is removed is in no list of what is watched or sent, though PostgreSQL can not be told of it yet', async () => {
  const { database } = service.storage
  const browser = formBrowser(service.address)
  await browser.logIn(service.token)
  for (const orgnr of [removed, naming])
    await service.call('PUT', `/api/overvaking/${orgnr}`, { body: { navn: wordOf(orgnr) } })
  const [key] = await database.query<{ kjede: string }>('select kjede from api_nokkel')
  const endpoint = await makeEndpoint(database, key?.kjede ?? '', 'https://mottaker.example/')
  const felt = [{ felt: '/navn', for: null, etter: wordOf(removed) }]
  await writeInLog(database, changeOf(removed, { felt }))
  await writeInLog(database, changeOf(naming, { felt, nevner: [Number(removed)] }))
  while ((await fanOut(database, { changesMax: 100, deliveriesMax: 100 })).hasMore);
  const sent = `/api/endepunkter/${endpoint.id}/leveringer`
  const { leveringer } = (await service.get(sent)).body as { leveringer: { id: string }[] }
  expect(leveringer).toHaveLength(2)
  const lists = async () => {
    const told = await Promise.all([
      ...['/api/overvaking', `/api/overvaking/${removed}`, sent].map((path) => service.get(path)),
      ...leveringer.map(({ id }) => service.get(`${sent}/${id}`)),
      ...['/overvaking', `/endepunkter/${endpoint.id}`].map((path) => browser.get(path)),
    ])
    return told.map(({ text }) => text.includes(removed) || text.includes(wordOf(removed)))
  }
  expect(await lists()).not.toContain(false)
  await database.transaction(async (connection) => {
    await connection.query('lock table fjernet in share mode')
    remove()
    expect(await lists()).not.toContain(true)
    expect(await database.query('select 1 from fjernet where organisasjonsnummer = $1', [removed])).toEqual(
      [],
    )
  })
  await service.tiers.tombstones.settled()
})

describe('who is removed while PostgreSQL is asked', () => {
  it.each(['sok', 'forslag'])(
    'P11: attack: what is shown of hits, is not among them (%s)',
    async (question) => {
      const path = `/api/bedrift/${question}?q=${wordOf(removed)}`
      expect((await service.get(path)).text).toContain(removed)
      const answer = await removedWhile('sok_tekst', () => service.get(`${path}%20AS`))
      expect(answer).toMatchObject({ status: 200, removed: false })
    },
  )

  it('P11: attack: for what changed, is not told of to an agent', async () => {
    const call = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'kunngjoringer', arguments: { organisasjonsnummer: removed } },
    }
    const answer = await removedWhile('endring', () =>
      service.call('POST', '/mcp', {
        body: call,
        headers: { accept: 'application/json, text/event-stream' },
      }),
    )
    expect(answer).toMatchObject({ status: 200, removed: false, isSaid: true })
  })
})

/** What is answered to whoever waits for a table, and the company is removed meanwhile. */
async function removedWhile(table: string, ask: () => Promise<{ status: number; text: string }>) {
  const { database } = service.storage
  const answer = await database.transaction(async (connection) => {
    await connection.query(`lock table ${table} in access exclusive mode`)
    const asked = ask()
    await eventually('it is waited for', async () => {
      const waiting = await database.query(
        'select 1 from pg_locks where not granted and relation = $1::regclass',
        [table],
      )
      return waiting.length > 0
    })
    remove()
    return { asked }
  })
  return toldIn(await answer.asked)
}

function toldIn({ status, text }: { status: number; text: string }) {
  return {
    status,
    removed: text.includes(wordOf(removed)),
    isSaid: text.includes('fjernet'),
    naming: text.includes(wordOf(naming)),
  }
}
