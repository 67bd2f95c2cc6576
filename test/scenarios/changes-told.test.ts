import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import { issueKey } from '#src/access/issue-key.ts'
import { PUBLIC_TEST_KEY } from '#src/access/public-test-key.ts'
import { changeId } from '#src/changes/change.ts'
import { systemClock } from '#src/core/clock.ts'
import { LIVING } from '#src/samples/living.ts'
import type { NewChange } from '#src/storage/changes/change-log.ts'
import { SAMPLE, sampleAnswers } from '#test/fixtures/samples/index.ts'
import { emptied } from '../support/emptied.ts'
import { eventually } from '../support/eventually.ts'
import { inventNumbers } from '../support/invented-companies.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { startTestService, type TestAnswer, type TestService } from '../support/service.ts'
import { changeOf, writeInLog } from '../support/written-changes.ts'

const LOG = '/api/endringer'
const LIST = '/api/overvaking'
const A = SAMPLE.healthy
const B = SAMPLE.bankrupt
const numbers = inventNumbers(60)

let register: RegisterStandIn
let service: TestService

beforeAll(async () => {
  register = await startRegisterStandIn({ answers: sampleAnswers() })
  service = await startTestService(register, { workers: false, isLoaded: true })
})
afterAll(async () => {
  await service.close()
  await register.close()
})
beforeEach(async () => {
  await emptied(service.storage.database, 'endring, endring_borte, overvaking, blikk')
})

const change = (orgnr: string, facts: Partial<NewChange> = {}) =>
  changeOf(orgnr, {
    hendelse: { id: 'enheter:123456', at: new Date('2026-10-19T08:30:00Z') },
    forrige: new Date('2026-10-19T08:00:00Z'),
    sett: new Date('2026-10-19T09:00:00Z'),
    ...facts,
  })
const write = (...changes: NewChange[]) => writeInLog(service.storage.database, ...changes)

async function newKey(epost = 'a@example.com'): Promise<{ token: string; id: string }> {
  const key = await issueKey({ db: service.storage.database, clock: systemClock }, { epost, miljo: 'test' })
  return { token: key.token, id: key.id }
}

const call: TestService['call'] = (...asked) => service.call(...asked)
const watch = (orgnr: string, wish: object = {}, token = service.token) =>
  call('PUT', `${LIST}/${orgnr}`, { token, body: wish })
// biome-ignore lint/suspicious/noExplicitAny: lines are looked into
const linesIn = (text: string): any[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
const kodeOf = ({ status, body }: TestAnswer) => [status, body?.kode]

describe('P121: the log of what a key watches', () => {
  it('is told oldest first, in three forms, from a place that is kept by its reader', async () => {
    await watch(A, { navn: 'Kunden' })
    await watch(B)
    await write(
      change(A),
      change(numbers[0] ?? ''),
      change(B, { type: 'foretak.navn.endret', hendelse: null }),
    )
    const all = await call('GET', LOG)
    expect([all.status, all.headers.get('cache-control')]).toEqual([200, 'private, no-store'])
    const [first, second, ...others] = all.body.endringer
    expect(first).toEqual({
      id: expect.stringMatching(/^endring_[0-9]+_[0-9a-z]+$/),
      type: 'foretak.konkurs.apnet',
      organisasjonsnummer: A,
      navn: 'Kunden',
      seksjon: 'status',
      felter: [{ felt: '/status/data/konkurs/gjelder', for: false, etter: true }],
      hendelse: { id: 'enheter:123456', tidspunkt: '2026-10-19T08:30:00.000Z' },
      sett: { etter: '2026-10-19T08:00:00.000Z', innen: '2026-10-19T09:00:00.000Z' },
      peker: expect.any(String),
    })
    expect(second).toMatchObject({ organisasjonsnummer: B, navn: null, hendelse: null })
    expect([others, all.body.flere]).toEqual([[], false])

    const one = await call('GET', `${LOG}?size=1`)
    expect([one.body.endringer, one.body.flere, one.body.neste]).toEqual([[first], true, first.peker])
    const rest = await call('GET', `${LOG}?etter=${first.peker}`)
    expect(rest.body.endringer).toEqual([second])
    expect((await call('GET', `${LOG}?etter=${rest.body.neste}`)).body.endringer).toEqual([])

    const lines = linesIn((await call('GET', LOG, { headers: { accept: 'application/x-ndjson' } })).text)
    expect(lines).toEqual([
      first,
      second,
      { oppsummering: { endringer: 2, neste: all.body.neste, flere: false } },
    ])
    const batch = await call('GET', LOG, { headers: { accept: 'application/cloudevents-batch+json' } })
    expect(batch.headers.get('content-type')).toBe('application/cloudevents-batch+json; charset=utf-8')
    expect(batch.headers.get('link')).toContain(`etter=${all.body.neste}>; rel="next"`)
    expect(batch.body[0]).toEqual({
      specversion: '1.0',
      id: first.id,
      source: `${service.address}${LOG}`,
      type: first.type,
      subject: A,
      time: first.sett.innen,
      datacontenttype: 'application/json',
      peker: first.peker,
      data: first,
    })
    const events = linesIn(
      (await call('GET', `${LOG}?format=cloudevents`, { headers: { accept: 'application/x-ndjson' } })).text,
    )
    expect(events.slice(0, -1)).toEqual(batch.body)
    expect((await call('GET', LOG, { headers: { accept: 'text/html' } })).status).toBe(406)
  })

  it('is of the companies and types that are wanted, of the key’s own list, and of what came since it was put there', async () => {
    await write(change(A))
    await watch(A, { typer: ['foretak.konkurs', 'roller.*'] })
    await watch(B)
    await write(
      change(A),
      change(A, { type: 'foretak.navn.endret' }),
      change(A, { type: 'roller.styre.endret' }),
      change(B, { type: 'foretak.kapital.endret' }),
      change(A, { prove: true }),
    )
    const told = async (query: string) =>
      (await call('GET', LOG + query)).body.endringer.map(
        ({ organisasjonsnummer, type }: Record<string, string>) => `${organisasjonsnummer} ${type}`,
      )
    const konkurs = `${A} foretak.konkurs.apnet`
    const styre = `${A} roller.styre.endret`
    expect(await told('')).toEqual([konkurs, styre, `${B} foretak.kapital.endret`])
    expect(await told(`?orgnr=${A}`)).toEqual([konkurs, styre])
    expect(await told('?type=foretak')).toEqual([konkurs, `${B} foretak.kapital.endret`])
    expect(await told('?type=roller.styre.endret,foretak.konkurs.*')).toEqual([konkurs, styre])
    const other = await newKey()
    expect((await call('GET', LOG, { token: other.token })).body.endringer).toEqual([])
  })

  it('refuses what it can not read, and tells whoever comes from too long ago, or from another log, what to do', async () => {
    await watch(A)
    await write(change(A), change(A), change(A))
    const { neste, endringer } = (await call('GET', LOG)).body
    for (const query of [
      `etter=${neste.slice(0, -1)}`,
      `etter=${neste.slice(0, 8)}${neste[8] === 'A' ? 'B' : 'A'}${neste.slice(9)}`,
      'etter=1',
      'etter=',
      'vent=51',
      'vent=-1',
      'vent=1e1',
      'size=0',
      'type=tull',
      'type=foretak.konk',
      'orgnr=123456789',
      'format=xml',
      `etter=${neste}&etter=${neste}`,
      'fra=1',
    ])
      expect((await call('GET', `${LOG}?${query}`)).status, query).toBe(400)

    const { database } = service.storage
    await database.query(
      'insert into endring_borte (til_nr) select nr from endring order by nr offset 1 limit 1',
    )
    await database.query('delete from endring where nr <= (select til_nr from endring_borte)')
    const old = await call('GET', `${LOG}?etter=${endringer[0].peker}`)
    expect(kodeOf(old)).toEqual([409, 'foreldet_peker'])
    expect(old.body.detail).toContain('uten etter')
    expect((await call('GET', `${LOG}?etter=${endringer[1].peker}`)).body.endringer).toEqual([endringer[2]])
    expect((await call('GET', LOG)).body.endringer).toEqual([endringer[2]])

    // The same number, of another life of the log.
    await database.query(`update endring set sett_at = sett_at + interval '1 day'`)
    expect(kodeOf(await call('GET', `${LOG}?etter=${neste}`))).toEqual([409, 'foreldet_peker'])
    // One that was erased is no sign of that.
    await database.query('delete from endring')
    expect((await call('GET', `${LOG}?etter=${neste}`)).body).toEqual({ endringer: [], neste, flere: false })
    await database.query(`select setval(pg_get_serial_sequence('endring', 'nr'), 1)`)
    expect(kodeOf(await call('GET', `${LOG}?etter=${neste}`))).toEqual([409, 'foreldet_peker'])
  })

  it('attack: six readers, each on from where it was, skip nothing and are told nothing twice while twelve write', async () => {
    const keys = await Promise.all(Array.from({ length: 3 }, () => newKey()))
    for (const { token } of keys) await call('POST', LIST, { token, body: numbers })
    let isWriting = true
    const reading = keys.flatMap(({ token }) =>
      ['?size=3', '?vent=2&size=50'].map(async (query) => {
        const told: string[] = []
        let etter: string | null = null
        let isOver = false
        while (!isOver) {
          const wasWriting = isWriting
          const at = `${LOG}${query}${etter === null ? '' : `&etter=${etter}`}`
          const { status, body } = await call('GET', at, { token })
          // Whoever is told to come again, on a busy machine, does.
          if (status === 503) continue
          told.push(...body.endringer.map(({ id }: { id: string }) => id))
          etter = body.neste
          isOver = !wasWriting && body.endringer.length === 0
        }
        return told
      }),
    )
    await Promise.all(
      Array.from({ length: 12 }, async (_, writer) => {
        for (let times = 0; times < 12; times++)
          await write(change(numbers[(writer * 5 + times) % 60] ?? ''), change(numbers[writer] ?? ''))
      }),
    )
    isWriting = false
    const rows = await service.storage.database.query<{ nr: string; sett: Date }>(
      'select nr, sett_at as sett from endring order by nr',
    )
    const all = rows.map(({ nr, sett }) => changeId({ nr: Number(nr), sett }))
    expect(all).toHaveLength(288)
    for (const told of await Promise.all(reading)) expect(told).toEqual(all)
  })

  it('is waited for: who waits is told when something is written that it watches, and of nothing else', async () => {
    await watch(A)
    const { neste } = (await call('GET', LOG)).body
    let isTold = false
    const waiting = call('GET', `${LOG}?etter=${neste}&vent=40`).then((answer) => {
      isTold = true
      return answer
    })
    const short = await call('GET', `${LOG}?etter=${neste}&vent=1`)
    expect([short.status, short.body.endringer]).toEqual([200, []])
    await write(change(B))
    const late = (await call('GET', `${LOG}?etter=${neste}&vent=1`)).body
    expect(late.endringer).toEqual([])
    expect(late.neste).not.toBe(neste)
    expect(isTold).toBe(false)
    await write(change(A))
    const { body } = await waiting
    expect(body.endringer).toHaveLength(1)
    expect((await call('GET', `${LOG}?etter=${late.neste}`)).body.endringer).toEqual(body.endringer)
  })

  it('no more wait than may, of one key and of all; who leaves makes room', async () => {
    await watch(A)
    const leaving = new AbortController()
    const url = `${service.address}${LOG}?vent=40`
    const headers = { authorization: `Bearer ${service.token}` }
    const { signal } = leaving
    // Where one more was there first, it is tried again.
    const wait = async () => {
      while (!signal.aborted)
        await fetch(url, { headers, signal }).then(
          (answer) => answer.text(),
          () => null,
        )
    }
    const waiting = Array.from({ length: policy.changeLog.waitingOfOneMax }, wait)
    await eventually('one more is refused', async () => {
      const answer = await call('GET', `${LOG}?vent=1`)
      return (
        answer.status === 429 &&
        answer.body.kode === 'for_mange_ventende' &&
        answer.headers.get('retry-after') === '10'
      )
    })
    expect((await call('GET', LOG)).status).toBe(200)
    expect((await call('GET', `${LOG}?vent=1`, { token: (await newKey()).token })).status).toBe(200)
    leaving.abort()
    await Promise.all(waiting)
    await eventually('there is room', async () => (await call('GET', `${LOG}?vent=1`)).status === 200)
  })

  it('is told of any one company, newest first and page by page, to whoever has a key', async () => {
    await write(
      change(A),
      change(A, { type: 'foretak.navn.endret' }),
      change(A, { type: 'regnskap.nytt' }),
      change(B),
    )
    const at = `/api/bedrift/${A}/endringer`
    const first = await call('GET', `${at}?size=2`)
    expect(first.body.endringer.map(({ type }: { type: string }) => type)).toEqual([
      'regnskap.nytt',
      'foretak.navn.endret',
    ])
    expect(first.headers.get('link')).toContain('rel="next"')
    const second = await call('GET', `${at}?size=2&etter=${first.body.neste}`)
    expect(second.body.endringer.map(({ type }: { type: string }) => type)).toEqual(['foretak.konkurs.apnet'])
    expect(second.body.neste).toBeNull()
    expect(kodeOf(await call('GET', '/api/bedrift/974760673/endringer'))).toEqual([
      404,
      'ukjent_organisasjonsnummer',
    ])
    expect((await call('GET', '/api/bedrift/123456789/endringer')).status).toBe(400)
    expect((await call('POST', at)).status).toBe(405)
  })
})

describe('P122: what is watched', () => {
  it('is put, found, changed and ended, one at a time', async () => {
    expect(kodeOf(await call('GET', `${LIST}/${A}`))).toEqual([404, 'ikke_overvaket'])
    const put = await watch(A, {
      navn: '  Kunden\n nummer én ',
      typer: ['foretak.*', 'foretak.*'],
      epost: 'daglig',
    })
    expect(put.status).toBe(201)
    expect(put.body).toEqual({
      organisasjonsnummer: A,
      navn: 'Kunden nummer én',
      typer: ['foretak'],
      epost: 'daglig',
      opprettet: expect.any(String),
      // Nobody works behind this front: nothing has been looked at.
      kilder: expect.arrayContaining([
        { kilde: 'enhet', fra: null, ventes: expect.any(String) },
        { kilde: 'kunngjoringer', fra: null, ventes: expect.any(String) },
      ]),
    })
    const { kilder: _sources, ...same } = put.body
    expect((await call('GET', `${LIST}/${A}`)).body).toMatchObject(same)
    const again = await call('PUT', `${LIST}/${A}`)
    expect(again).toMatchObject({ status: 200, body: { ...same, navn: null, typer: null, epost: null } })
    expect((await call('DELETE', `${LIST}/${A}`)).status).toBe(204)
    expect(kodeOf(await call('DELETE', `${LIST}/${A}`))).toEqual([404, 'ikke_overvaket'])
    expect(kodeOf(await watch('974760673'))).toEqual([404, 'ukjent_organisasjonsnummer'])
    for (const wish of [{ typer: ['tull'] }, { epost: 'av og til' }, { type: ['foretak'] }, { navn: 7 }, []])
      expect(kodeOf(await watch(A, wish)), JSON.stringify(wish)).toEqual([400, 'ugyldig_parameter'])
    expect((await call('PATCH', `${LIST}/${A}`)).headers.get('allow')).toBe('GET, HEAD, PUT, DELETE')
  })

  it('is many at once, with what is wrong named by its line, and listed page by page', async () => {
    const given = [...numbers.slice(0, 5), 'tull', numbers[0], A]
    const added = await call('POST', `${LIST}?epost=straks&typer=roller`, { body: given })
    const lines = linesIn(added.text)
    expect(lines.map(({ linje, utfall, feil }) => [linje, utfall ?? feil?.kode])).toEqual([
      ...numbers.slice(0, 5).map((_, index) => [index + 1, 'ny']),
      [6, 'ugyldig_organisasjonsnummer'],
      [7, 'ny'],
      [undefined, undefined],
    ])
    expect(lines.at(-1).oppsummering).toEqual({
      linjer: 7,
      nye: 6,
      endret: 0,
      sluttet: 0,
      feil: 1,
      dubletter: 1,
      settInnen: expect.any(String),
    })
    const seen: string[] = []
    for (let etter: string | null = ''; etter !== null; ) {
      const { body }: TestAnswer = await call('GET', `${LIST}?size=2${etter && `&etter=${etter}`}`)
      expect(body.antall).toBe(6)
      seen.push(
        ...body.overvakinger.map(({ organisasjonsnummer: orgnr }: { organisasjonsnummer: string }) => orgnr),
      )
      etter = body.neste
    }
    expect(seen).toEqual([...numbers.slice(0, 5), A].sort())
    expect((await call('GET', `${LIST}/${A}`)).body).toMatchObject({ typer: ['roller'], epost: 'straks' })
    const ended = linesIn(
      (await call('POST', `${LIST}?gjor=slutt`, { type: 'text/plain', body: `${A}\n${B}` })).text,
    )
    expect(ended.map(({ utfall }) => utfall)).toEqual(['sluttet', 'ikke_overvaket', undefined])
    expect(ended.at(-1).oppsummering).toMatchObject({ linjer: 2, sluttet: 1, feil: 0 })
    for (const query of ['gjor=noe', 'epost=ukentlig', 'typer=tull', 'navn=x'])
      expect((await call('POST', `${LIST}?${query}`, { body: '["923609016"]' })).status, query).toBe(400)
  })

  it('attack: is never more than the chain may have, however many lists come at once', async () => {
    const { database } = service.storage
    const keys = await Promise.all(Array.from({ length: 4 }, () => newKey()))
    await database.query(
      `update api_nokkel set kjede = $2, slutter_at = now() + interval '1 day' where id = any($1)`,
      [keys.map(({ id }) => id), keys[0]?.id],
    )
    const tokenOf = (nr: number) => keys[nr % 4]?.token ?? ''
    const many = inventNumbers(policy.watches.most + 400)
    const parts = Array.from({ length: 13 }, (_, part) => many.slice(part * 800, (part + 1) * 800))
    const answers = await Promise.all(
      parts.map((part, nr) =>
        call('POST', LIST, { token: tokenOf(nr), body: part.join('\n'), type: 'text/plain' }),
      ),
    )
    const refused = answers.filter(({ status }) => status === 409)
    expect(refused.map(kodeOf)).toEqual([[409, 'for_mange_overvakinger']])
    const left = policy.watches.most - (await call('GET', LIST, { token: tokenOf(0) })).body.antall
    expect(left).toBe(policy.watches.most - 12 * 800)
    const rest = inventNumbers(policy.watches.most + 400 + left + 20).slice(-left - 20)
    const most = rest.slice(0, left - 5)
    expect((await call('POST', LIST, { token: tokenOf(0), body: most })).status).toBe(200)
    // Five places, and twenty who want one.
    const singles = await Promise.all(
      rest
        .slice(left, left + 20)
        .map((orgnr, nr) => call('POST', LIST, { token: tokenOf(nr), body: [orgnr] })),
    )
    expect(singles.filter(({ status }) => status === 200)).toHaveLength(5)
    expect(kodeOf(await watch(A, {}, tokenOf(1)))).toEqual([409, 'for_mange_overvakinger'])
    expect((await call('GET', LIST, { token: tokenOf(0) })).body.antall).toBe(policy.watches.most)
  })

  it('is the chain’s: another key of it has the same list, also when the next year is bought', async () => {
    const { database } = service.storage
    const [first, second, renewed] = [await newKey(), await newKey(), await newKey()]
    await watch(A, {}, first.token)
    await database.query(
      "update api_nokkel set kjede = $2, slutter_at = now() + interval '1 day' where id = $1",
      [first.id, first.id],
    )
    await database.query('update api_nokkel set kjede = $2 where id = $1', [second.id, first.id])
    expect((await call('GET', `${LIST}/${A}`, { token: second.token })).status).toBe(200)
    await database.query(
      `insert into ordre (id, token_hash, referanse, tilstand, miljo, produkt, belop_ore, valuta, fornyer, fornyer_fra,
         vilkaar_godtatt_at, laget_at, endret_at)
       select 'fornyet123', sha256('a'), 'referanse-1', 'opprettet', 'test', 'nøkkel', 49900, 'NOK', $1, now(), now(), now(), now()`,
      [first.id],
    )
    await database.query(`update api_nokkel set kjede = 'fornyet123' where id = $1`, [renewed.id])
    expect((await call('GET', `${LIST}/${A}`, { token: renewed.token })).status).toBe(200)
    await write(change(A))
    for (const { token } of [first, second, renewed])
      expect((await call('GET', LOG, { token })).body.endringer).toHaveLength(1)
    expect((await call('GET', `${LIST}/${A}`)).status).toBe(404)
  })

  it('of everybody’s test key is stored nowhere: it is told of the living companies, and answered as if', async () => {
    const test = { token: PUBLIC_TEST_KEY }
    const put = await call('PUT', `${LIST}/${A}`, { ...test, body: '{"navn":"Kunden"}' })
    expect([put.status, put.body.navn, put.headers.get('x-provedata')]).toEqual([200, 'Kunden', 'true'])
    expect((await call('DELETE', `${LIST}/${A}`, test)).status).toBe(204)
    expect(
      linesIn((await call('POST', LIST, { ...test, body: `["${A}"]` })).text).at(-1).oppsummering.endret,
    ).toBe(1)
    const epost = await call('PUT', `${LIST}/${A}`, { ...test, body: '{"epost":"straks"}' })
    expect(kodeOf(epost)).toEqual([400, 'ugyldig_parameter'])
    expect(await service.storage.database.query('select 1 from overvaking')).toEqual([])
    expect((await call('GET', LIST, test)).body.antall).toBe(Object.keys(LIVING).length)
    const { neste } = (await call('GET', LOG, test)).body
    const waiting = call('GET', `${LOG}?vent=40&etter=${neste}`, test)
    await write(change(LIVING.bankruptAtNoon), change(A, { prove: true }))
    await write(change(LIVING.bankruptAtNoon, { prove: true }))
    expect((await waiting).body.endringer).toMatchObject([{ organisasjonsnummer: LIVING.bankruptAtNoon }])
  })
})
