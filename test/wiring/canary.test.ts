import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readEnvironment } from '#config/environment.ts'
import { createLog } from '#src/core/log.ts'
import { DAY_MS } from '#src/core/units.ts'
import { type CanaryResult, canaryReport, keepRun } from '#src/ops/canary/canary.ts'
import { newestCanaryNews, newestCanaryRuns, takeNight } from '#src/storage/canary-runs.ts'
import { askRegisters } from '#src/wiring/canary.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { canaryNight } from '#workers/canary-night.ts'
import { SAMPLE, sampleAnswers } from '../fixtures/samples/index.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'

const NIGHT = new Date('2026-11-22T02:30:00Z')
const catalogue = sampleAnswers()
const sample = catalogue.companies.get(SAMPLE.healthy)?.enhet
const healthy = sample !== undefined && 'json' in sample ? (sample.json as Record<string, unknown>) : {}

let storage: TestDatabase
let register: RegisterStandIn

beforeAll(async () => {
  storage = await createTestDatabase()
})
afterAll(() => storage.close())
beforeEach(async () => {
  await storage.database.query('delete from kanari')
  register = await startRegisterStandIn({ answers: catalogue })
  return () => register.close()
})

const ask = (
  registerUrl = register.registerUrl,
  variables: Record<string, string> = { KUNNGJORING_URL: register.kunngjoringUrl },
): Promise<CanaryResult> =>
  askRegisters(readEnvironment({ REGISTER_URL: registerUrl, ...variables }), {
    numbers: { enheter: [SAMPLE.healthy, SAMPLE.deleted], underenheter: [SAMPLE.subUnit] },
    pauseMs: 0,
    signal: new AbortController().signal,
  })
const keep = (resultat: CanaryResult, ferdig = new Date()) =>
  keepRun(storage.database, { natt: null, startet: ferdig, ferdig, resultat }, { comparedMax: 10 })
const report = async () => canaryReport(await newestCanaryRuns(storage.database, 10))
const enhet = async () => (await report())?.kilder.find(({ kilde }) => kilde === 'enhet')
const answers = (changes: Record<string, unknown>) =>
  register.set(SAMPLE.healthy, 'enhet', { status: 200, json: { ...healthy, ...changes } })

describe('the canary', () => {
  it('asks every source by its own question, one call at a time, and finds the answers as they are read', async () => {
    const { kilder, utenNett } = await ask()
    expect(utenNett).toBe(false)
    expect(Object.keys(kilder).sort()).toEqual([
      'enhet',
      'konsern',
      'kunngjoringer',
      'prokura',
      'regnskap',
      'regnskapskopier',
      'roller',
      'rollerIAndreForetak',
      'signatur',
      'underenhet',
      'underenheter',
    ])
    for (const [source, { spurt, lest, mangler, endret }] of Object.entries(kilder)) {
      const once = ['underenhet', 'kunngjoringer', 'regnskapskopier'].includes(source)
      expect([source, spurt, mangler, endret]).toEqual([source, once ? 1 : 2, [], []])
      // Of a company that has none the page says so.
      expect(lest, source).toBe(source === 'underenheter' ? 2 : 1)
    }
    expect(register.calls.count('enhet', SAMPLE.healthy)).toBe(1)
  })

  it('tells what came, went and changed since the run before, and what no longer is as it is read', async () => {
    await keep(await ask())
    expect(await newestCanaryNews(storage.database)).toMatchObject({ nytt: { skjema: 0, siden: 0 } })
    const { maalform: _, ...rest } = healthy
    register.set(SAMPLE.healthy, 'enhet', {
      status: 200,
      json: { ...rest, konkurs: 'nei', nyttFelt: { a: 1 } },
    })
    await keep(await ask())
    expect(await enhet()).toMatchObject({
      siden: { nye: ['/nyttFelt'], borte: ['/maalform'], endret: ['/konkurs: boolean → string'] },
      skjema: { nye: expect.arrayContaining(['/nyttFelt']), endret: ['/konkurs: string'] },
    })
    expect(await newestCanaryNews(storage.database)).toMatchObject({ nytt: { skjema: 1, siden: 3 } })
    await keep(await ask())
    expect(await newestCanaryNews(storage.database)).toMatchObject({ nytt: { skjema: 1, siden: 0 } })
  })

  it('sees what a page of announcements is made of: other columns, dates in another form, links elsewhere', async () => {
    await keep(await ask())
    const page = catalogue.companies.get(SAMPLE.healthy)?.kunngjoringer
    const html = page !== undefined && 'html' in page ? page.html : ''
    expect(html).toMatch(/\d{2}\.\d{2}\.\d{4}/)
    const drifted = html
      .replaceAll(/(\d{2})\.(\d{2})\.(\d{4})/g, '$3-$2-$1')
      .replaceAll('sokeverdi=', 'orgnr=')
      .replaceAll('</tr>', '<td>nytt</td></tr>')
    register.set(SAMPLE.healthy, 'kunngjoringer', { status: 200, html: drifted })
    await keep(await ask())
    const of = (await report())?.kilder.find(({ kilde }) => kilde === 'kunngjoringer')
    expect(of?.siden).toMatchObject({
      nye: expect.arrayContaining(['/rader/[]/celler_6', '/rader/[]/dato_yyyy_MM_dd']),
      borte: expect.arrayContaining(['/rader/[]/celler_5', '/rader/[]/dato_dd_MM_yyyy']),
    })
    expect(of?.skjema.mangler).toContain('/rader/[]/lenke/hent_en.jsp/sokeverdi')
    expect(JSON.stringify(of)).not.toMatch(/\d{8}|[Kk]apital|[Ss]tyre/)
  })

  it('leaves the page alone where announcements are switched off', async () => {
    const { kilder } = await ask(register.registerUrl, { KUNNGJORINGER: 'av' })
    expect(Object.keys(kilder)).not.toContain('kunngjoringer')
  })

  it('keeps no value of any answer', async () => {
    answers({ hemmelig: 'KARI NORDMANN', 'Ola Nordmann': 1 })
    await keep(await ask())
    const rows = JSON.stringify(await storage.database.query('select * from kanari'))
    expect(rows).toContain('/hemmelig')
    expect(rows).not.toMatch(/KARI|Ola|TINDEVÅG|SJØMAT|901012121/)
  })

  it('without a network it says so, gives up early, and is no news', async () => {
    await keep(await ask())
    const away = await ask('http://127.0.0.1:1')
    expect(away.utenNett).toBe(true)
    expect(Object.values(away.kilder).reduce((sum, { spurt }) => sum + spurt, 0)).toBe(3)
    await keep(away, new Date(Date.now() + 1000))
    expect(await report()).toMatchObject({ utenNett: true, kilder: [{ siden: null }, {}, {}] })
    expect(await newestCanaryNews(storage.database)).toMatchObject({ nytt: { skjema: 0, siden: 0 } })
    await keep(await ask(), new Date(Date.now() + 2000))
    expect((await enhet())?.siden).toEqual({ nye: [], borte: [], endret: [] })
  })
})

it('P54: attack: nights that never end, or reach no register, are told of by how long there have been any, also before the first that did', async () => {
  const { database } = storage
  const night = (day: number) => new Date(NIGHT.getTime() + day * DAY_MS)
  const take = (day: number) =>
    takeNight(database, { natt: night(day).toISOString().slice(0, 10), now: night(day), takenForMs: 60_000 })
  expect(await newestCanaryNews(database)).toBeNull()
  await take(0)
  await take(1)
  await keep({ utenNett: true, kilder: {} }, night(2))
  expect(await newestCanaryNews(database)).toEqual({ sistSett: NIGHT, nytt: null })
  await keep(await ask(), night(3))
  await take(4)
  await keep({ utenNett: true, kilder: {} }, night(5))
  expect(await newestCanaryNews(database)).toEqual({ sistSett: night(3), nytt: { skjema: 0, siden: 0 } })
})

describe('the night', () => {
  const take = (now: Date) => takeNight(storage.database, { natt: '2026-11-22', now, takenForMs: 60_000 })

  it('is taken by one of many, and again when whoever took it never ended', async () => {
    const taken = await Promise.all(Array.from({ length: 10 }, () => take(NIGHT)))
    expect(taken.filter(Boolean).length).toBe(1)
    expect(await take(new Date(NIGHT.getTime() + 61_000))).toBe(true)
  })

  it('begins at its hour in Norway, and is asked once', async () => {
    const empty = { utenNett: false, kilder: {} }
    let asked = 0
    const night = (now: Date) =>
      canaryNight({
        take: (of) => takeNight(storage.database, of),
        ask: async () => {
          asked += 1
          return empty
        },
        keep: (run) => keepRun(storage.database, run, { comparedMax: 10 }),
        clock: { now: () => now },
        log: createLog({ level: 'silent', file: null }),
        signal: new AbortController().signal,
        policy: { fromHour: 3, takenForMs: 60_000 },
      })
    const at = (time: string) => night(new Date(`2026-11-22T${time}:00Z`))
    expect([await at('01:30'), await at('02:30'), await at('04:00'), asked]).toEqual([
      'early',
      'asked',
      'taken',
      1,
    ])
    expect(await newestCanaryRuns(storage.database, 10)).toMatchObject([{ resultat: empty }])
  })
})
