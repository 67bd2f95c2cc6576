import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { request, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { appRoutes } from '@bull-board/api/dist/routes.js'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { readEnvironment } from '#config/environment.ts'
import { systemClock } from '#src/core/clock.ts'
import { lanes } from '#src/queue/jobs.ts'
import { listDeeds } from '#src/storage/operator-trail.ts'
import { revokeOperator } from '#src/storage/operators.ts'
import { keepProcessEnd } from '#src/storage/process-ends.ts'
import { openService } from '#src/wiring/service.ts'
import { SAMPLE, sampleAnswers } from '#test/fixtures/samples/index.ts'
import { putAnOrder } from '#test/support/an-order.ts'
import { eventually } from '#test/support/eventually.ts'
import { logIn, type TestOperator } from '#test/support/operators.ts'
import { type RegisterStandIn, startRegisterStandIn } from '#test/support/register-stand-in.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const COMPANY = SAMPLE.healthy
/** Everything an operator can change but the jobs. */
const WRITING = [
  '/levetider',
  '/levetider/rull-tilbake',
  '/foretak/oppfrisk',
  '/foretak/foreld',
  '/foretak/glem',
  '/foretak/slett',
  '/nokler/erstatt',
  '/nokler/tilbakekall',
  '/nokler/kvittering',
  '/nokler/avgjort',
]
const HOUR_MS = 60 * 60_000
const READ = `/api/bedrift/${COMPANY}`

let register: RegisterStandIn
let service: TestService
let reader: TestOperator
let writer: TestOperator
beforeAll(async () => {
  register = await startRegisterStandIn({ answers: sampleAnswers() })
  service = await startTestService(register, { isLoaded: true })
})
afterEach(() => register.clearFaults())
afterAll(async () => {
  await service.close()
  await register.close()
})

const ops = (path: string, options: RequestInit = {}) =>
  fetch(service.opsAddress + path, { redirect: 'manual', ...options })

describe("the operators' side without an operator", () => {
  it('attack: is not asked through the name of a stranger’s page that leads here', async () => {
    const { hostname, port } = new URL(service.opsAddress)
    const statusFor = (host: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const asked = request({ hostname, port, path: '/inn', headers: { host } }, (answer) => {
          answer.resume()
          resolve(answer.statusCode)
        })
        asked.on('error', reject).end()
      })
    const own = [`${hostname}:${port}`, `localhost:${port}`, `[::1]:${port}`, 'oppslag']
    expect(await Promise.all(own.map(statusFor))).toEqual(own.map(() => 200))
    const strangers = [
      'evil.example',
      `rebind.evil.example:${port}`,
      'evil.example.',
      `${hostname}.evil.example`,
    ]
    for (const status of await Promise.all(strangers.map(statusFor))) expect(status).toBe(421)
  })

  it('offers health and metrics, and nothing else', async () => {
    expect((await ops('/health/live')).status).toBe(200)
    expect((await ops('/health/ready')).status).toBe(200)
    const metrics = await (await ops('/metrics')).text()
    const { versjon } = (await (await ops('/health/live')).json()) as { versjon: string }
    // The commit of this clone: two builds of one number are two releases.
    expect(versjon).toMatch(/^\d+\.\d+\.\d+\+([0-9a-f]{12}|unknown)$/)
    expect(metrics).toContain(`bedriftsoppslag_process_info{versjon="${versjon}",slag="alt"} 1`)
    for (const name of ['process_info', 'queue_waiting', 'keys_valid', 'cache_bytes', 'orders', 'processes'])
      expect(metrics).toContain(`bedriftsoppslag_${name}`)
    for (const path of [
      '/oversikt.json',
      '/levetider',
      '/foretak',
      '/nokler',
      '/jobber',
      '/spor',
      '/ordre',
      '/ordre/abcde12345',
      '/epost',
      '/epost/1',
      '/kanari',
      '/sok',
      '/strom',
    ])
      expect((await ops(path)).status, path).toBe(401)
  })

  it('P148: attack: metrics that hundreds ask for at once, who read nothing, are the same bytes for all of them, who are not answered in one go', async () => {
    const sent: { body: unknown; turn: number }[] = []
    let turn = 0
    let counting = setImmediate(function count() {
      turn += 1
      counting = setImmediate(count)
    })
    const end = ServerResponse.prototype.end
    const ended = vi.spyOn(ServerResponse.prototype, 'end').mockImplementation(function (
      this: ServerResponse,
      ...given: unknown[]
    ) {
      if (this.req.url === '/metrics') sent.push({ body: given[0], turn })
      return end.apply(this, given as never)
    })
    const { hostname, port } = new URL(service.opsAddress)
    const sockets = Array.from({ length: 20 }, () => connect(Number(port), hostname).pause())
    try {
      for (const socket of sockets)
        socket.write('GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(16))
      await eventually('they are answered', () => sent.length === 320)
      expect(sent.every(({ body }) => Buffer.isBuffer(body))).toBe(true)
      // Whoever came while they were written gets the next.
      const turnsOf = Map.groupBy(sent, ({ body }) => body)
      expect(turnsOf.size).toBeLessThan(sent.length / 4)
      // A few, as come together on a slow machine, may find time in one.
      const [most = []] = [...turnsOf.values()].sort((a, b) => b.length - a.length)
      expect(new Set(most.map((each) => each.turn)).size).toBeGreaterThan(1)
    } finally {
      ended.mockRestore()
      clearImmediate(counting)
      for (const socket of sockets) socket.destroy()
    }
  })

  it('sends people to the login, which says how to get in', async () => {
    const answer = await ops('/', { headers: { accept: 'text/html' } })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/inn'])
    expect(await (await ops('/inn')).text()).toContain('oppslag operator ny')
  })

  it('does not start on a port that is taken, and says which', async () => {
    const taken = new URL(service.opsAddress).port
    const variables = { PORT: '0', OPS_PORT: taken, LOG_LEVEL: 'silent', DATABASE_URL: service.storage.url }
    await expect(openService(readEnvironment(variables), { workers: false })).rejects.toThrow(
      `OPS_PORT: 127.0.0.1:${taken} can not be used`,
    )
  })
})

describe('an operator', () => {
  beforeAll(async () => {
    reader = await logIn(service.storage, service.opsAddress, { navn: 'Leser', rolle: 'lese' })
    writer = await logIn(service.storage, service.opsAddress, { navn: 'Skriver', rolle: 'skrive' })
  })

  it('P116: finds an order by what a customer writes of, in no address, and each order and mail has a page with all that happened', async () => {
    await putAnOrder(service.storage.database)
    for (const who of [reader, writer]) {
      for (const hva of ['kari@example.no', 'oppslag-abcde12345', ' abcde12345 ']) {
        const { status, text } = await who.post('/ordre', { hva })
        expect([status, text.includes('/ordre/abcde12345'), text.includes('499.00 NOK')], hva).toEqual([
          200,
          true,
          true,
        ])
      }
      expect((await who.post('/ordre', { hva: 'ola@example.no' })).text).toContain(
        'Ordrene det gjelder: ingen.',
      )
      expect((await who.get('/ordre')).text).toContain('abcde12345')
      expect((await who.get('/epost')).text).toMatch(/kvittering.*abcde12345.*venter/s)
    }
    await writer.post('/nokler/kvittering', { id: 'abcde12345', hvorfor: 'kunden spør' })
    const order = await reader.get('/ordre/abcde12345')
    expect(order.status).toBe(200)
    for (const said of [
      'bestilt, og vilkårene godtatt',
      'ærend skrevet',
      'oppslag-abcde12345',
      'kunden spør',
    ])
      expect(order.text).toContain(said)
    const [, mail = ''] = /href="\/epost\/(\d+)">kvittering/.exec(order.text) ?? []
    const sent = await reader.get(`/epost/${mail}`)
    expect(sent.text).toMatch(/kvittering.*venter.*\/ordre\/abcde12345.*Prøves igjen.*2099-01-01/s)
    const { ordre, spor } = JSON.parse((await reader.get('/ordre/abcde12345.json')).text)
    expect([ordre.epost[0].id, spor[0].hvorfor]).toEqual([mail, 'kunden spør'])
    expect(JSON.parse((await reader.get(`/epost/${mail}.json`)).text).epost.ordre).toBe('abcde12345')
    expect(order.text + sent.text).not.toContain('example.no')
    const alarmed = `update ordre set tilstand = 'tapt', alarm = 'trekk_umulig' where id = 'abcde12345'`
    await service.storage.database.query(alarmed)
    expect((await reader.get('/ordre/abcde12345')).text).not.toContain('Slukk alarmen')
    expect((await writer.get('/ordre/abcde12345')).text).toContain('Slukk alarmen')
    const decided = await writer.post('/nokler/avgjort', { id: 'abcde12345', hvorfor: 'avtalt' })
    expect(decided.text).toContain('Alarmen er slukket.')
    // And then there is none to put out, which is no fault of ours.
    for (const [id, status, said] of [
      ['abcde12345', 409, 'Ordren har ingen alarm.'],
      ['zzzzz99999', 404, 'Det finnes ingen ordre med dette nummeret.'],
    ] as const) {
      const again = await writer.post('/nokler/avgjort', { id, hvorfor: 'avtalt' })
      expect([again.status, again.text.includes(said)]).toEqual([status, true])
    }
    const after = await writer.get('/ordre/abcde12345')
    expect([after.text.includes('Slukk alarmen'), after.text.includes('avtalt')]).toEqual([false, true])
    for (const [path, status] of [
      ['/ordre/zzzzz99999', 404],
      ['/ordre/bo_live_x', 400],
      ['/epost/999999', 404],
      ['/epost/abc', 404],
      ['/epost/99999999999999999999', 404],
    ] as const)
      expect((await reader.get(path)).status, path).toBe(status)
    expect((await reader.get('/ordre')).text).not.toContain('example.no')
    const foreign = await reader.post('/ordre', { hva: 'kari@example.no' }, { origin: 'https://example.org' })
    expect(foreign.status).toBe(403)
  })

  it('is told of Redis only where there is one', async () => {
    const { text } = await reader.get(`/foretak?orgnr=${COMPANY}`)
    expect(text).not.toContain('Redis')
  })

  it('P54: sees the overview: sources, cache, queues, orders, keys and processes, and that nothing is wrong', async () => {
    // One that is asked for, and five that are held whole.
    for (let reads = 0; reads < 6; reads++) expect((await service.get(READ)).status).toBe(200)
    await eventually('the process has reported itself', async () => {
      const { prosesser, galt } = JSON.parse((await reader.get('/oversikt.json')).text)
      return prosesser.length === 1 && prosesser[0].rapport.klar && galt.length === 0
    })
    const page = await reader.get('/')
    expect(page.text).toContain('Alt er i orden.')
    for (const words of ['Kilder', 'Oppslag', 'Mellomlager', 'Køer', 'Gyldige nøkler: 1', 'Prosesser'])
      expect(page.text).toContain(words)
    await eventually('the answers are counted by where they came from', async () => {
      const { oppslag, treff } = JSON.parse((await reader.get('/oversikt.json')).text)
      const counted = Object.fromEntries(
        oppslag.map((each: { hentet: string; antall: number }) => [each.hentet, each.antall]),
      )
      return counted.svar === 5 && counted.register === 1 && Math.abs(treff - 5 / 6) < 0.001
    })
    expect((await reader.get('/')).text).toContain('Treff: 83,3 % av 6 oppslag.')
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self';")
    for (const policy of ['cross-origin-opener-policy', 'cross-origin-resource-policy'])
      expect(page.headers.get(policy)).toBe('same-origin')
    expect(page.text).not.toMatch(/<script>|onclick|style="/)
  })

  it('P42: sees the last process that ended by an error, among what is wrong for an hour and below after it', async () => {
    const { database } = service.storage
    const end = {
      slag: 'arbeider',
      versjon: '1.2.3',
      feil: 'TypeError',
      sted: 'src/record/merge.ts:12:34',
    } as const
    const at = (ageMs: number) => new Date(Date.now() - ageMs)
    try {
      await keepProcessEnd(database, { ...end, id: randomUUID(), endt: at(2 * HOUR_MS) })
      const before = (await reader.get('/')).text
      expect(before).toContain('Alt er i orden.')
      expect(before).toMatch(/Siste: arbeider endte av en feil .*TypeError i src\/record\/merge\.ts:12:34/)
      await keepProcessEnd(database, { ...end, id: randomUUID(), endt: at(1000) })
      const { galt } = JSON.parse((await reader.get('/oversikt.json')).text)
      expect(galt).toEqual([expect.stringMatching(/^arbeider endte av en feil .* Resten står i loggen\.$/)])
      await eventually('its metric tells of both', async () =>
        (await (await ops('/metrics')).text()).includes('bedriftsoppslag_process_faults 2'),
      )
    } finally {
      await database.query('truncate prosessfeil')
    }
  })

  it('P51: attack: is told that PostgreSQL can not have at what it keeps, in words and without a fault of ours, until it can', async () => {
    const { database } = service.storage
    await database.query('revoke all on api_nokkel from current_user')
    try {
      const program = await reader.get('/oversikt.json')
      expect([program.status, JSON.parse(program.text).kode]).toEqual([503, 'lager_uleselig'])
      const page = await reader.get('/', { accept: 'text/html' })
      expect([page.status, page.text]).toEqual([
        503,
        expect.stringContaining('PostgreSQL kommer ikke til noe av det den lagrer'),
      ])
    } finally {
      await database.query('grant all on api_nokkel to current_user')
    }
    expect((await reader.get('/oversikt.json')).status).toBe(200)
  })

  it('sees which index of names is read, and how far the one that is being built has come', async () => {
    const { database } = service.storage
    expect((await reader.get('/sok')).text).toContain('SOKEINDEKS er av: registeret spørres.')
    try {
      await database.query(
        `update sok_bygg set bygget_at = now(), filer_at = now(), enheter = 900, underenheter = 100, navn = 1500, sekunder = 70,
           fase = 'enheter', lest = 400, ny_underenheter = 100, ny_filer_at = now(), startet_at = now(), flyttet_at = now()`,
      )
      const { sok } = JSON.parse((await reader.get('/sok.json')).text)
      expect(sok).toMatchObject({
        indeks: { units: 900, subUnits: 100, names: 1500 },
        bygger: { phase: 'enheter', read: 400, andel: 0.5 },
        feil: null,
        venter: { waiting: 0 },
      })
      const { text } = await reader.get('/sok')
      expect(text).toContain('1500')
      expect(text).toMatch(/leser enheter.*400.*50,0 %/s)
    } finally {
      await database.query('update sok_bygg set bygget_at = null, fase = null, lest = 0')
    }
  })

  it('is told what is new without asking again', async () => {
    const stream = await ops('/strom', { headers: { authorization: `Bearer ${reader.token}` } })
    const chunks = stream.body?.getReader()
    const first = new TextDecoder().decode((await chunks?.read())?.value)
    expect(first).toMatch(/^event: oversikt\ndata: ".*Alt er i orden/)
    await chunks?.cancel()
  })

  it('P45: attack: who is removed, or logs out, is told nothing more by what they had open', async () => {
    const { database } = service.storage
    const gone = await logIn(service.storage, service.opsAddress, { navn: 'Fulgte med', rolle: 'lese' })
    const login = await ops('/inn', {
      method: 'POST',
      headers: { origin: service.opsAddress },
      body: new URLSearchParams({ token: gone.token }),
    })
    const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? ''
    const credentials = [{ authorization: `Bearer ${gone.token}` }, { cookie }]
    const open = await Promise.all(credentials.map((headers) => ops('/strom', { headers })))
    expect(open.map(({ status }) => status)).toEqual([200, 200])
    await revokeOperator(database, 'fulgte med', systemClock.now())
    await Promise.all(open.map((each) => each.text()))

    const out = await logIn(service.storage, service.opsAddress, { navn: 'Gikk ut', rolle: 'lese' })
    const session = await ops('/inn', {
      method: 'POST',
      headers: { origin: service.opsAddress },
      body: new URLSearchParams({ token: out.token }),
    })
    const own = session.headers.get('set-cookie')?.split(';')[0] ?? ''
    const followed = await ops('/strom', { headers: { cookie: own } })
    expect((await out.post('/ut', {}, { cookie: own })).status).toBe(303)
    await followed.text()
  })

  it('P45: attack: who is removed while a form of theirs is half sent changes nothing with it', async () => {
    const { database } = service.storage
    const gone = await logIn(service.storage, service.opsAddress, { navn: 'Holdt igjen', rolle: 'skrive' })
    const { hostname, port } = new URL(service.opsAddress)
    const body = `orgnr=${COMPANY}&hvorfor=holdt+igjen`
    const seen = (await listDeeds(database, { gjelder: [COMPANY], limit: 50 })).length
    const socket = connect({ host: hostname, port: Number(port) })
    socket.write(
      `POST /foretak/foreld HTTP/1.1\r\nhost: ${hostname}:${port}\r\nauthorization: Bearer ${gone.token}\r\n` +
        'content-type: application/x-www-form-urlencoded\r\nconnection: close\r\n' +
        `content-length: ${body.length}\r\nexpect: 100-continue\r\n\r\n`,
    )
    // Whoever is told to go on has been let in.
    const answer = new Promise<string>((resolve) => {
      let text = ''
      socket.on('data', (chunk) => {
        text += chunk
      })
      socket.on('close', () => resolve(text))
    })
    await once(socket, 'data')
    socket.write(body.slice(0, 10))
    await revokeOperator(database, 'holdt igjen', systemClock.now())
    socket.write(body.slice(10))
    expect(await answer).toContain('401 Unauthorized')
    expect(await listDeeds(database, { gjelder: [COMPANY], limit: 50 })).toHaveLength(seen)
  })

  it('is let in by the token alone, and no longer than it is good', async () => {
    const stranger = await ops('/oversikt.json', {
      headers: { authorization: `Bearer bodrift_${'x'.repeat(43)}` },
    })
    expect(stranger.status).toBe(401)
    const gone = await logIn(service.storage, service.opsAddress, { navn: 'Sluttet', rolle: 'skrive' })
    expect((await gone.get('/spor')).status).toBe(200)
    await revokeOperator(service.storage.database, 'sluttet', systemClock.now())
    expect((await gone.get('/spor')).status).toBe(401)
    expect((await gone.post('/foretak/foreld', { orgnr: COMPANY, hvorfor: 'en prøve' })).status).toBe(401)
  })

  it('gets a session no script can read and no other site can use', async () => {
    const answer = await ops('/inn', {
      method: 'POST',
      headers: { origin: service.opsAddress },
      body: new URLSearchParams({ token: reader.token }),
    })
    expect(answer.headers.get('set-cookie')).toMatch(/HttpOnly; SameSite=Strict; Max-Age=\d+/)
    expect(answer.headers.get('set-cookie')).not.toContain(reader.token)
    const form = { orgnr: COMPANY, hvorfor: 'fra en annen side' }
    expect((await writer.post('/foretak/foreld', form, { origin: 'https://ond.example' })).status).toBe(403)
    expect(
      (await ops('/inn', { method: 'POST', body: new URLSearchParams({ token: writer.token }) })).status,
    ).toBe(403)
  })

  it('who may only read changes nothing', async () => {
    const form = {
      orgnr: COMPANY,
      hvorfor: 'en prøve',
      base: '0',
      navn: 'sok.fersk',
      verdi: '60',
      id: 'x'.repeat(12),
    }
    const nobody = { cookie: '' }
    for (const path of WRITING) {
      expect((await reader.post(path, form)).status, path).toBe(403)
      const authorization = `Bearer ${reader.token}`
      expect((await reader.post(path, form, { ...nobody, authorization })).status, path).toBe(403)
      expect((await reader.post(path, form, nobody)).status, path).toBe(401)
    }
    expect((await reader.get('/jobber/styr/')).status).toBe(403)
    expect((await reader.get(`/foretak?orgnr=${COMPANY}`)).text).not.toContain('Gjør noe')
  })

  it('who may only read changes no job and no queue, by any call the board has', async () => {
    const { queues } = JSON.parse((await reader.get('/jobber/se/api/queues')).text)
    const calls = appRoutes.api.filter(({ method }) => method !== 'get')
    expect(calls.length).toBeGreaterThan(15)
    const writing = calls.flatMap(({ method, route }) =>
      [method].flat().flatMap((verb) =>
        [route].flat().map((path) => ({
          method: verb.toUpperCase(),
          path: path.replace(':queueName', queues[0].name).replaceAll(/:[a-zA-Z]+/g, '1'),
        })),
      ),
    )
    const status = async (at: string, method: string, token: string | null) => {
      const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` }
      return (await ops(at, { method, headers })).status
    }
    for (const { method, path } of writing) {
      for (const board of ['/jobber/se', '/jobber/styr']) {
        const at = board + path
        expect(await status(at, method, reader.token), `${method} ${at}`).toBe(403)
        expect(await status(at, method, null), `${method} ${at}`).toBe(401)
      }
      // And nobody at all changes anything at the address for looking.
      const looking = await status(`/jobber/se${path}`, method, writer.token)
      expect(looking, `${method} ${path}`).toBe(405)
    }
  })

  it('reads in a page why something is refused; a program is given the code', async () => {
    const person = { accept: 'text/html', authorization: `Bearer ${reader.token}` }
    for (const [path, status] of [
      ['/finnes-ikke', 404],
      ['/jobber/styr/', 403],
    ] as const) {
      const page = await ops(path, { headers: person })
      expect([page.status, page.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8'])
      expect(await page.text()).toContain('<h1')
    }
    const program = await ops('/finnes-ikke', { headers: { authorization: `Bearer ${reader.token}` } })
    expect(await program.json()).toMatchObject({ kode: 'ukjent_adresse' })
  })

  it('P54: is sent to the log by nothing that was wrong with what was asked, of which it has no line', async () => {
    const { token } = reader
    for (const [path, status] of [
      [`/nokler/${'a'.repeat(1000)}.json`, 414],
      ['/ordre/%F0%9F.json', 400],
    ] as const) {
      const refused = await ops(path, { headers: { authorization: `Bearer ${token}` } })
      expect(refused.status).toBe(status)
      expect(await refused.json()).toEqual({ kode: 'feil', tekst: 'Forespørselen kan ikke leses.' })
    }
  })

  it('proposes half a call a second, and a time with its unit; what is no value is said', async () => {
    const form = { base: '0', hvorfor: 'siden er for mennesker' }
    const page = await reader.get('/levetider?navn=kunngjoringer.kall&verdi=0,5')
    expect(page.text).toContain('Forslag: kunngjoringer.kall = 0,5 kall/s')
    expect((await reader.get('/levetider?navn=regnskap.fersk&verdi=14+d')).text).toContain('= 14 d')
    for (const verdi of ['0,05', 'halvparten', '0,333', '']) {
      const query = new URLSearchParams({ navn: 'kunngjoringer.kall', verdi })
      expect((await reader.get(`/levetider?${query}`)).status, verdi).toBe(400)
      const saved = await writer.post('/levetider', { ...form, navn: 'kunngjoringer.kall', verdi })
      expect(saved.status, verdi).toBe(400)
    }
    const half = { ...form, navn: 'kunngjoringer.kall', verdi: '0,5' }
    expect((await writer.post('/levetider', half)).status).toBe(303)
    const { stilling } = JSON.parse((await reader.get('/levetider.json')).text)
    expect(stilling.current.verdier).toEqual({ 'kunngjoringer.kall': 0.5 })
    const { kilder } = JSON.parse((await reader.get('/oversikt.json')).text)
    expect(kilder).toContainEqual(expect.objectContaining({ kilde: 'kunngjoringer', budsjettPerSekund: 0.5 }))
  })

  it('sees what is held of a company, makes it stale, and forgets it', async () => {
    await service.get(READ)
    const seen = JSON.parse((await reader.get(`/foretak/${COMPANY}.json`)).text)
    expect(seen.holdt.map(({ seksjon }: { seksjon: string }) => seksjon)).toContain('regnskap')
    expect(seen.holdt[0]).toMatchObject({ tilstand: 'fersk', svar: 'found' })
    expect((await writer.post('/foretak/foreld', { orgnr: COMPANY, hvorfor: 'kunden spør' })).status).toBe(
      200,
    )
    expect((await reader.get(`/foretak?orgnr=${COMPANY}`)).text).toContain('utdatert')
    expect(
      (await writer.post('/foretak/glem', { orgnr: COMPANY, hvorfor: 'kunden spør igjen' })).status,
    ).toBe(200)
    const after = JSON.parse((await reader.get(`/foretak/${COMPANY}.json`)).text)
    expect(after.holdt).toEqual([])
    expect((await reader.get('/spor')).text).toContain('kunden spør igjen')
  })

  it('has a company asked for anew', async () => {
    // Not the one that was just told to be forgotten: processes obey within seconds, and what is not held then is not asked for anew.
    const other = SAMPLE.investor
    // A fetch that is under way would do for this one as well, and was counted before.
    await eventually('all of it is there', async () =>
      (await service.get(`/api/bedrift/${other}`)).text.includes('"komplett":true'),
    )
    register.calls.reset()
    const asked = await writer.post('/foretak/oppfrisk', { orgnr: other, hvorfor: 'kunden spør' })
    expect([asked.status, asked.text]).toEqual([200, expect.stringContaining('Registrene spørres.')])
    await eventually('the roles were asked for', () => register.calls.count('roller', other) > 0)
  })

  it('P11: erases a company only when its number is written once more', async () => {
    const other = SAMPLE.usd
    const form = { orgnr: other, hvorfor: 'krav om sletting' }
    expect((await writer.post('/foretak/slett', { ...form, bekreft: COMPANY })).status).toBe(400)
    expect((await service.get(`/api/bedrift/${other}`)).status).toBe(200)
    expect((await writer.post('/foretak/slett', { ...form, bekreft: other })).status).toBe(200)
    expect((await service.get(`/api/bedrift/${other}`)).status).toBe(410)
  })

  it('P26: finds a key by its id, revokes it, and is found in the trail; the key is nowhere', async () => {
    const [, , id = ''] = service.token.split('_')
    const page = await reader.get(`/nokler?id=${id}`)
    expect(page.text).toContain('gyldig')
    expect((await reader.get(`/nokler?id=${service.token}`)).status).toBe(400)
    const revoked = await writer.post('/nokler/tilbakekall', { id, hvorfor: 'kunden har sagt opp' })
    expect(revoked.text).toContain('tilbakekalt')
    await eventually(
      'the key is refused',
      async () => (await service.get('/api/bedrift/status')).status === 401,
    )
    const { spor } = JSON.parse((await reader.get(`/nokler/${id}.json`)).text)
    expect(spor[0]).toMatchObject({
      hvem: 'Skriver',
      handling: 'nokkel.tilbakekall',
      hvorfor: 'kunden har sagt opp',
      utfall: 'gjort',
    })
    expect(page.text + revoked.text).not.toContain(service.token.slice(-20))
  })

  it('P40: writes no address, no identity number and no key into the trail', async () => {
    for (const hvorfor of ['ola@example.com ba om det', 'gjelder 01017012345', service.token, 'x'])
      expect((await writer.post('/foretak/foreld', { orgnr: COMPANY, hvorfor })).status, hvorfor).toBe(400)
    for (const queue of ['ola%40example.com', '01017012345', service.token]) {
      const answer = await ops(`/jobber/styr/api/queues/${queue}/pause`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${writer.token}` },
      })
      expect(answer.status).toBe(404)
    }
    const deeds = await listDeeds(service.storage.database, { limit: 1000 })
    expect(JSON.stringify(deeds)).not.toMatch(/@|bo_test_|01017012345/)
  })

  it('P55: sees every queue, whether it is paused, and changes jobs only in the board for those who may', async () => {
    expect((await reader.get('/jobber')).headers.get('location')).toBe('/jobber/se/')
    const board = await reader.get('/jobber/se/')
    expect(board.text).toContain('Jobber')
    expect(board.text).not.toContain('fonts.googleapis')
    const { queues } = JSON.parse((await reader.get('/jobber/se/api/queues')).text)
    // In PostgreSQL workers share what they listen on: that there are none would not be true.
    expect(queues[0]).toMatchObject({ hasWorkers: null })
    expect(queues).toHaveLength(lanes.length)
    expect(queues.every(({ readOnlyMode }: { readOnlyMode: boolean }) => readOnlyMode)).toBe(true)
    const path = `/jobber/styr/api/queues/${queues[0].name}/pause`
    const put = (who: TestOperator, at = path) =>
      ops(at, { method: 'PUT', headers: { authorization: `Bearer ${who.token}` } }).then(
        ({ status }) => status,
      )
    expect(await put(reader)).toBe(403)
    expect(await put(writer, path.replace('styr', 'se'))).toBe(405)
    expect(await put(writer)).toBe(200)
    await eventually('it is in the trail', async () => (await reader.get('/spor')).text.includes('pause'))
    // P55: nobody is left to believe that all is well.
    const lane = queues[0].name.replace('bedriftsoppslag-', '')
    expect(JSON.parse((await reader.get('/oversikt.json')).text).galt).toContain(
      `Køen ${lane} er satt på pause: ingenting i den blir gjort.`,
    )
    expect((await reader.get('/')).text).toContain('på pause</')
    expect(await (await ops('/metrics')).text()).toContain(`bedriftsoppslag_queue_paused{felt="${lane}"} 1`)
    expect(await put(writer, path.replace('/pause', '/resume'))).toBe(200)
    await eventually('it is well', async () => (await reader.get('/')).text.includes('Alt er i orden.'))
  })

  it('P48: attack: a page of jobs that nobody can count to is no page, whatever is asked for', async () => {
    const { queues } = JSON.parse((await reader.get('/jobber/se/api/queues')).text)
    const board = '/jobber/se/api/queues'
    const active = `${board}?activeQueue=${queues[0].name}&status=completed`
    const statuses = async (paths: string[]) =>
      Promise.all(paths.map(async (path) => (await reader.get(path)).status))
    const numbers = ['100000', '1000000000', '1e300', '9007199254740993', '-1', 'x']
    const none = [
      ...numbers.map((jobs) => `${active}&jobsPerPage=${jobs}`),
      ...['1000000000', '1e300', '9007199254740993'].map((page) => `${active}&page=${page}`),
      `${board}?activeQueue=%25`,
      `${board}/${queues[0].name}/%00`,
    ]
    expect(await statuses(none)).toEqual(none.map(() => 400))
    const some = ['1', '50', '1000'].map((jobs) => `${active}&page=2&jobsPerPage=${jobs}`)
    expect(await statuses(some)).toEqual(some.map(() => 200))
  })

  it('P181: attack: what is done to a queue by one who does not wait for the answer stands in the trail', async () => {
    const [{ name }] = JSON.parse((await reader.get('/jobber/se/api/queues')).text).queues
    const at = (verb: string) => `/jobber/styr/api/queues/${name}/${verb}`
    const { host, hostname, port } = new URL(service.opsAddress)
    const head = `PUT ${at('pause')} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${writer.token}\r\nContent-Length: 0\r\n\r\n`
    const isPaused = async () =>
      JSON.parse((await reader.get('/jobber/se/api/queues')).text).queues[0].isPaused === true
    const told = async (word: string, utfall: string) =>
      (await listDeeds(service.storage.database, { gjelder: null, limit: 500 })).filter(
        (deed) => deed.utfall === utfall && deed.gjelder?.includes(`${word} ${name}`),
      ).length
    for (let times = 0; times < 5; times += 1) {
      const before = await told('pause', 'gjort')
      const socket = connect(Number(port), hostname, () => socket.write(head, () => socket.end()))
      socket.on('error', () => {}).resume()
      await eventually('it is paused', isPaused)
      socket.destroy()
      await eventually('it is in the trail', async () => (await told('pause', 'gjort')) > before)
      expect(await told('pause', 'begynt')).toBe(await told('pause', 'gjort'))
      await fetch(service.opsAddress + at('resume'), {
        method: 'PUT',
        headers: { authorization: `Bearer ${writer.token}` },
      })
    }
  })

  it('P181: attack: a lane is given no pace and no job by the board, where nobody would be told of it', async () => {
    const [{ name }] = JSON.parse((await reader.get('/jobber/se/api/queues')).text).queues
    const pace = async () => (await reader.get(`/jobber/se/api/queues/${name}/rate-limit`)).text
    const before = await pace()
    const send = async (method: string, verb: string, body: unknown) => {
      const answer = await ops(`/jobber/styr/api/queues/${name}/${verb}`, {
        method,
        headers: { authorization: `Bearer ${writer.token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      return [verb, answer.status]
    }
    const more: [string, string, unknown][] = [
      ['PUT', 'concurrency', { concurrency: 1 }],
      ['PUT', 'rate-limit', { max: 1, duration: 3_600_000 }],
      ['PUT', 'rate-limit', { max: 1_000_000, duration: 1 }],
      ['PUT', 'rate-limit', { max: null }],
      ['PUT', 'rate-limit/release', {}],
      ['POST', 'add', { name: 'refresh', data: {}, options: { repeat: { every: 1 } } }],
      ['PATCH', 'job-schedulers/x', { every: 1 }],
      ['PUT', 'job-schedulers/x/run', {}],
      ['PATCH', '1/update-data', { jobData: {} }],
      ['PATCH', '1/priority', { priority: 1 }],
      ['PATCH', '1/delay', { delay: 1 }],
    ]
    const answers: unknown[] = []
    for (const each of more) answers.push(await send(...each))
    expect(answers).toEqual(more.map(([, verb]) => [verb, 405]))
    expect(await pace()).toBe(before)
    const deeds = ['pause', 'resume', 'promote', 'retry/failed', 'clean/failed']
    const done: unknown[] = []
    for (const verb of deeds) done.push(await send('PUT', verb, {}))
    expect(done).toEqual(deeds.map((verb) => [verb, 200]))
    // What a page of it loads is nothing that is done.
    const written = () => listDeeds(service.storage.database, { gjelder: null, limit: 500 })
    const trail = async () => (await written()).length
    // How a deed ended is written behind its answer.
    await eventually('each of them has its end in the trail', async () => {
      const ofLane = (await written()).filter(({ gjelder }) => gjelder?.includes(` ${name}`))
      const ended = ofLane.filter(({ utfall }) => utfall === 'gjort').length
      return ended >= deeds.length && ended === ofLane.filter(({ utfall }) => utfall === 'begynt').length
    })
    const begun = await trail()
    const [, script = ''] =
      /<script[^>]* src="([^"]*static[^"]*)"/.exec((await writer.get('/jobber/styr/')).text) ?? []
    expect((await writer.get(new URL(script, `${service.opsAddress}/jobber/styr/`).pathname)).status).toBe(
      200,
    )
    expect(await trail()).toBe(begun)
  })

  it('P45: thirty wrong tokens are told off, and keep nobody out who has a right one', async () => {
    const login = (token: string) =>
      ops('/inn', {
        method: 'POST',
        headers: { origin: service.opsAddress },
        body: new URLSearchParams({ token }),
      })
    const ask = (token: string) => ops('/spor', { headers: { authorization: `Bearer ${token}` } })
    const nobodys = `bodrift_${'y'.repeat(43)}`
    const wrong = await Promise.all(Array.from({ length: 30 }, () => ask(nobodys)))
    expect(wrong.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(20)
    expect((await login(nobodys)).status).toBe(429)
    expect((await ask(reader.token)).status).toBe(200)
    expect((await login(reader.token)).status).toBe(303)
    const fresh = await logIn(service.storage, service.opsAddress, {
      navn: 'Ny mens det står på',
      rolle: 'lese',
    })
    expect((await fresh.get('/spor')).status).toBe(200)
  })
})
