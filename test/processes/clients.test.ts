import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PUBLIC_TEST_KEY } from '#src/access/public-test-key.ts'
import { lagKlient, OppslagProblem } from '#src/clients/typescript/src/index.ts'
import { readGuide } from '#src/pages/documentation/guides.ts'
import { LIVING } from '#src/samples/living.ts'
import { SAMPLE, sampleAnswers } from '#test/fixtures/samples/index.ts'
import { inventNumbers } from '#test/support/invented-companies.ts'
import { type RegisterStandIn, startRegisterStandIn } from '#test/support/register-stand-in.ts'
import { startTestService, type TestService } from '#test/support/service.ts'
import { changeOf, writeInLog } from '#test/support/written-changes.ts'

const clients = fileURLToPath(new URL('../../src/clients', import.meta.url))
const run = promisify(execFile)

let register: RegisterStandIn
let service: TestService
let folder: string

beforeAll(async () => {
  register = await startRegisterStandIn({ answers: sampleAnswers() })
  service = await startTestService(register)
  folder = await mkdtemp(join(tmpdir(), 'klient-'))
})
afterAll(async () => {
  await service.close()
  await register.close()
  await rm(folder, { recursive: true })
})

const longList: readonly string[] = inventNumbers(500)

/** What a client waits for is noted, and not waited for. */
function clientOf(address = service.address, options: { forsok?: number } = {}) {
  const waited: number[] = []
  const klient = lagKlient({
    url: address,
    nokkel: PUBLIC_TEST_KEY,
    vent: async (ms) => void waited.push(ms),
    ...options,
  })
  return { klient, waited }
}

/** Changes of a living company, which everybody's key is told of. */
function writeLiving(...types: string[]): Promise<void> {
  const now = new Date()
  return writeInLog(
    service.storage.database,
    ...types.map((type) =>
      changeOf(LIVING.bankruptAtNoon, { type, felt: [], forrige: now, sett: now, prove: true }),
    ),
  )
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

describe('P96: the TypeScript client, against the service', () => {
  it('gives a company whole or in parts, with the types of the document', async () => {
    const { klient } = clientOf()
    const whole = await klient.bedrift(SAMPLE.healthy)
    // This compiles only because the state tells that there are data.
    const board = whole.roller.tilstand === 'fersk' ? whole.roller.data.styre.leder : null
    expect(board?.[0]?.rolleinnehaver.navn).toBe('Åshild Øvrebø')
    const part = await klient.bedrift(SAMPLE.healthy, { felt: ['navn', 'status'] })
    expect(part.status.tilstand === 'fersk' && part.status.data.foretakstilstand).toBe('aktiv')
    // @ts-expect-error it was not asked for
    expect(part.roller).toBeUndefined()
  })

  it('goes through every page of hits and of holders', async () => {
    const { klient } = clientOf()
    const holders = await all(klient.aksjonaerer(SAMPLE.usd))
    expect(holders.length).toBeGreaterThan(1000)
    expect(new Set(holders.map(({ plass }) => plass)).size).toBe(holders.length)
    const units = await all(klient.underenheter(SAMPLE.healthy))
    expect(units.map(({ organisasjonsnummer }) => organisasjonsnummer)).toContain(SAMPLE.subUnit)
    expect(await all(klient.underenheter(SAMPLE.subUnit))).toEqual([])
    expect((await all(klient.rollerIAndreForetak(SAMPLE.auditor))).length).toBeGreaterThan(0)
    expect((await klient.konsern(SAMPLE.healthy))?.tre?.length).toBeGreaterThan(1)
    const hits = await all(klient.treff('tindevåg'))
    expect(hits.length).toBe((await klient.sok('tindevåg')).totalt)
  })

  it('gives many in the order asked, with problems as problems, and none twice', async () => {
    const { klient } = clientOf()
    const asked = [SAMPLE.bankrupt, '901200998', 'tull', SAMPLE.healthy, SAMPLE.bankrupt]
    const told = (await all(klient.mange(asked, { felt: ['navn'] }))).map(
      ({ organisasjonsnummer, foretak, feil }) => [organisasjonsnummer, foretak?.navn ?? feil?.kode],
    )
    expect(told).toEqual([
      [SAMPLE.bankrupt, 'NYE TINDEVÅG BRYGGE AS'],
      ['901200998', 'ukjent_organisasjonsnummer'],
      ['tull', 'ugyldig_organisasjonsnummer'],
      [SAMPLE.healthy, 'TINDEVÅG SJØMAT AS'],
    ])
  })

  it('P109: hands more than 500 in as a list, tells how far it has come, and leaves none behind', async () => {
    const { klient } = clientOf()
    const asked = [...longList, SAMPLE.bankrupt, longList[0] ?? '']
    const heard: [number, number][] = []
    const fremdrift = (done: number, lines: number) => void heard.push([done, lines])
    const told = await all(klient.mange(asked, { felt: ['navn'], fremdrift }))
    expect(told.map(({ organisasjonsnummer }) => organisasjonsnummer)).toEqual(asked.slice(0, -1))
    expect(told.at(-1)?.foretak?.navn).toBe('NYE TINDEVÅG BRYGGE AS')
    expect(heard.at(-1)).toEqual([501, 501])
    for await (const _ of klient.mange(asked, { felt: ['navn'] })) break
    expect(await service.storage.database.query('select 1 from bestilling')).toEqual([])
  })

  it('asks again when it is told to, as late as it is told, and then tells the problem', async () => {
    const { klient, waited } = clientOf()
    const problem = await klient.bedrift(LIVING.tooMany).catch((error) => error)
    expect(problem).toBeInstanceOf(OppslagProblem)
    expect([problem.status, problem.kode, problem.retryAfterSeconds]).toEqual([429, 'for_mange_forsok', 7])
    expect(waited).toEqual([7000, 7000, 7000])
    const removed = await klient.bedrift(SAMPLE.removed).catch((error) => error)
    expect([removed.kode, waited.length]).toEqual(['fjernet', 3])
  })

  it('is not sent again what it has', async () => {
    const statuses: number[] = []
    const klient = lagKlient({
      url: service.address,
      nokkel: PUBLIC_TEST_KEY,
      fetch: async (...asked) => {
        const answer = await fetch(...asked)
        statuses.push(answer.status)
        return answer
      },
    })
    const first = await klient.bedrift(SAMPLE.healthy)
    expect(await klient.bedrift(SAMPLE.healthy)).toEqual(first)
    expect(statuses).toEqual([200, 304])
  })

  it('attack: an answer that is cut off is not taken for whole, and what is missing is asked for again', async () => {
    const asked: string[][] = []
    const server = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      const list: string[] = JSON.parse(body)
      asked.push(list)
      const [first = ''] = list
      response.write(
        `{"linje":1,"organisasjonsnummer":"${first}","foretak":{"organisasjonsnummer":"${first}"}}\n`,
      )
      if (list.length === 1) response.end('{"oppsummering":{"linjer":1}}\n')
      else response.write('{"linje":2,"organisas', () => response.destroy())
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { klient } = clientOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    const lines = await all(klient.mange(['1', '2', '3']))
    server.close()
    expect(lines.map(({ organisasjonsnummer }) => organisasjonsnummer)).toEqual(['1', '2', '3'])
    expect(asked).toEqual([['1', '2', '3'], ['2', '3'], ['3']])
  })

  it('P121: goes on through what changed from where it was, and then waits for what comes', async () => {
    const { klient } = clientOf()
    expect((await klient.overvak(SAMPLE.healthy, { navn: 'Kunden', typer: ['foretak'] })).navn).toBe('Kunden')
    expect(await all(klient.overvakinger())).toHaveLength(Object.keys(LIVING).length)
    const before = await all(klient.endringer({ vent: 0 }))
    await writeLiving('foretak.navn.endret', 'foretak.kapital.endret')
    const after = await all(
      klient.endringer({ vent: 0, ...(before.at(-1) && { etter: before.at(-1)?.peker ?? '' }) }),
    )
    expect(after.map(({ type }) => type)).toEqual(['foretak.navn.endret', 'foretak.kapital.endret'])
    const ended = new AbortController()
    const told: string[] = []
    const waiting = klient.endringer({ etter: after[1]?.peker ?? '', vent: 20, signal: ended.signal })
    const first = waiting.next()
    await writeLiving('foretak.konkurs.apnet')
    told.push((await first).value?.type)
    await writeLiving('foretak.konkurs.avsluttet')
    told.push((await waiting.next()).value?.type)
    ended.abort()
    await waiting.return(undefined)
    expect(told).toEqual(['foretak.konkurs.apnet', 'foretak.konkurs.avsluttet'])
    await klient.sluttAOvervake(SAMPLE.healthy)
  })

  it('P167: waits as long as it is told where as many wait for changes as may', async () => {
    const waited: number[] = []
    const pages = [
      { endringer: [], neste: 'a', flere: false },
      { endringer: [{ id: 'b' }], neste: 'b', flere: false },
    ]
    const klient = lagKlient({
      url: service.address,
      nokkel: PUBLIC_TEST_KEY,
      vent: async (ms) => void waited.push(ms),
      fetch: async () =>
        Response.json(pages.shift(), { headers: pages.length > 0 ? { 'retry-after': '10' } : {} }),
    })
    const { value } = await klient.endringer().next()
    expect([value?.id, waited]).toEqual(['b', [10_000]])
  })

  it('claims nothing that the service’s document does not have', async () => {
    const types = await readFile(join(clients, 'typescript/src/types.ts'), 'utf8')
    const { text } = await service.getBare('/openapi.json')
    const claimed = new Set([...types.matchAll(/^ +readonly "?(\w+)"?\??:/gm)].map(([, name]) => name))
    const there = new Set([...text.matchAll(/"(\w+)":/g)].map(([, name]) => name))
    expect(claimed.size).toBeGreaterThan(250)
    expect([...claimed].filter((name) => !there.has(name))).toEqual([])
  })
})

describe('P96: the command', () => {
  const command = (...words: string[]) =>
    run(process.execPath, [join(clients, 'typescript/src/command.ts'), ...words], {
      env: { PATH: process.env.PATH, OPPSLAG_URL: service.address, OPPSLAG_NOKKEL: PUBLIC_TEST_KEY },
    })

  it('tells of a company, of hits, and of many, also as a workbook', async () => {
    const one = JSON.parse((await command(SAMPLE.healthy, '--felt', 'navn,status')).stdout)
    expect([one.navn, one.status.data.foretakstilstand]).toEqual(['TINDEVÅG SJØMAT AS', 'aktiv'])
    expect((await command('sok', 'ishavskraft')).stdout).toContain(SAMPLE.usd)
    const list = join(folder, 'liste.txt')
    await writeFile(list, `${SAMPLE.healthy}\n${SAMPLE.bankrupt}\n`)
    const lines = (await command('mange', list, '--felt', 'navn')).stdout.trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line).navn)).toEqual([
      'TINDEVÅG SJØMAT AS',
      'NYE TINDEVÅG BRYGGE AS',
    ])
    const sheet = join(folder, 'ut.xlsx')
    await command('mange', list, '--xlsx', sheet)
    expect((await readFile(sheet)).subarray(0, 2).toString()).toBe('PK')
  })

  it('says by its exit code whether the service said no or it was not asked rightly', async () => {
    const code = (...words: string[]) =>
      command(...words).then(
        () => 0,
        (error) => [error.code, error.stderr],
      )
    expect(await code('901200998')).toEqual([1, expect.stringContaining('ukjent_organisasjonsnummer')])
    expect(await code()).toEqual([2, ''])
  })
})

const hasPython = spawnSync('python3', ['--version']).status === 0

describe.skipIf(!hasPython)('P96: the Python client, against the service', () => {
  const python = (script: string) =>
    run('python3', ['-c', script], {
      cwd: join(clients, 'python'),
      env: {
        PATH: process.env.PATH,
        PYTHONDONTWRITEBYTECODE: '1',
        PYTHONIOENCODING: 'utf-8',
        OPPSLAG_URL: service.address,
        OPPSLAG_NOKKEL: PUBLIC_TEST_KEY,
      },
    })

  it('runs the examples of its README', async () => {
    const { stdout } = await python(
      exampleOf('python', await readFile(join(clients, 'python/README.md'), 'utf8')),
    )
    expect(stdout.trimEnd().split('\n')).toEqual([
      'TINDEVÅG SJØMAT AS',
      '901034346 NYE TINDEVÅG BRYGGE AS',
      '901200998 ukjent_organisasjonsnummer',
      expect.stringMatching(/^fjernet /),
    ])
  })

  it.each(['nb', 'en'] as const)('runs the example of the guide (%s)', async (language) => {
    const { stdout } = await python(
      exampleOf('python', readGuide('klienter', language, service.address).markdown),
    )
    expect(stdout).toBe('TINDEVÅG SJØMAT AS aktiv\n')
  })

  it('P121: goes on through what changed from where it was', async () => {
    await writeLiving('regnskap.nytt', 'roller.styre.endret')
    const { stdout } = await python(`
import os, json
from oppslag_klient import Klient
klient = Klient(os.environ["OPPSLAG_URL"], os.environ["OPPSLAG_NOKKEL"])
first, *others = klient.endringer(type=["regnskap", "roller.styre"], vent=0)
again = list(klient.endringer(etter=first["peker"], type=["regnskap", "roller.styre"], vent=0))
waiting = klient.endringer(vent=20)
watched = klient.overvak("${SAMPLE.healthy}", navn="Kunden")
klient.slutt_a_overvake("${SAMPLE.healthy}")
print(json.dumps([first["type"], again == others, again[-1]["type"], next(waiting)["id"] != "", watched["navn"], len(list(klient.overvakinger()))]))
`)
    expect(JSON.parse(stdout)).toEqual([
      'regnskap.nytt',
      true,
      'roller.styre.endret',
      true,
      'Kunden',
      Object.keys(LIVING).length,
    ])
  })

  it('P109: hands more than 500 in as a list, and leaves none behind', async () => {
    const { stdout } = await python(`
import os, json
from oppslag_klient import Klient
klient = Klient(os.environ["OPPSLAG_URL"], os.environ["OPPSLAG_NOKKEL"], vent=lambda seconds: None)
lines = list(klient.mange(${JSON.stringify([...longList, SAMPLE.bankrupt])}, felt=["navn"]))
print(json.dumps([len(lines), lines[-1]["foretak"]["navn"]]))
`)
    expect(JSON.parse(stdout)).toEqual([501, 'NYE TINDEVÅG BRYGGE AS'])
    expect(await service.storage.database.query('select 1 from bestilling')).toEqual([])
  })

  it('goes through pages, waits as it is told, and keeps what has not changed', async () => {
    const { stdout } = await python(`
import os, json
from oppslag_klient import Klient, OppslagProblem
waited = []
klient = Klient(os.environ["OPPSLAG_URL"], os.environ["OPPSLAG_NOKKEL"], vent=waited.append)
holders = list(klient.aksjonaerer("${SAMPLE.usd}"))
try:
    klient.bedrift("${LIVING.unavailable}")
except OppslagProblem as problem:
    kode = problem.kode
units = [unit["organisasjonsnummer"] for unit in klient.underenheter("${SAMPLE.healthy}")]
units += list(klient.underenheter("${SAMPLE.subUnit}"))
roles = list(klient.roller_i_andre_foretak("${SAMPLE.auditor}"))
group = klient.konsern("${SAMPLE.healthy}")
same = klient.bedrift("${SAMPLE.healthy}") == klient.bedrift("${SAMPLE.healthy}")
print(json.dumps([len(holders), kode, waited, same, units, len(roles), group is not None]))
`)
    const [holders, kode, waited, same, units, roles, isInGroup] = JSON.parse(stdout)
    expect(units).toContain(SAMPLE.subUnit)
    expect([roles > 0, isInGroup]).toEqual([true, true])
    expect(holders).toBeGreaterThan(1000)
    expect([kode, waited, same]).toEqual(['register_utilgjengelig', [7, 7, 7], true])
  })
})

it('P96: the examples of the TypeScript client’s README run', async () => {
  const stdout = await typescript(await readFile(join(clients, 'typescript/README.md'), 'utf8'))
  expect(stdout).toContain('TINDEVÅG SJØMAT AS 1\naktiv\n901034346 NYE TINDEVÅG BRYGGE AS\n')
  expect(stdout).toMatch(/fjernet /)
})

it.each(['nb', 'en'] as const)('P96: the TypeScript example of the guide runs (%s)', async (language) => {
  const stdout = await typescript(readGuide('klienter', language, service.address).markdown)
  expect(stdout).toBe('TINDEVÅG SJØMAT AS aktiv\n')
})

/** What the example in a text writes. */
async function typescript(text: string): Promise<string> {
  const script = join(folder, 'eksempel.ts')
  const source = join(clients, 'typescript/src/index.ts')
  await writeFile(script, exampleOf('ts', text).replace("'oppslag-klient'", JSON.stringify(source)))
  const { stdout } = await run(process.execPath, [script], {
    env: { PATH: process.env.PATH, OPPSLAG_URL: service.address, OPPSLAG_NOKKEL: PUBLIC_TEST_KEY },
  })
  return stdout
}

function exampleOf(language: 'python' | 'ts', text: string): string {
  return text.split(`\`\`\`${language}\n`)[1]?.split('```')[0] ?? ''
}
