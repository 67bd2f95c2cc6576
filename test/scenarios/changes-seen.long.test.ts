import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PUBLIC_TEST_KEY } from '#src/access/public-test-key.ts'
import { Historikk } from '#src/changes/history.ts'
import { LIVING } from '#src/samples/living.ts'
import { changesAfter } from '#src/storage/changes/change-log.ts'
import { SAMPLE, sampleAnswers } from '../fixtures/samples/index.ts'
import { HOUR_MS } from '../support/clock.ts'
import { eventually } from '../support/eventually.ts'
import { answersWithCopies, copyOf, inventNumbers } from '../support/invented-companies.ts'
import { compilePromised } from '../support/promised.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { changeOf, writeInLog } from '../support/written-changes.ts'

const sample = sampleAnswers().companies.get(SAMPLE.healthy) ?? {}
const numbers = inventNumbers(4)
const [watched = '', held = '', doomed = '', other = ''] = numbers

const promised = compilePromised(Historikk)

let register: RegisterStandIn
let service: TestService
let timeMs = Date.parse('2026-11-22T11:51:00Z')

beforeAll(async () => {
  register = await startRegisterStandIn({ answers: answersWithCopies(numbers) })
  service = await startTestService(register, { isLoaded: true })
})
afterAll(async () => {
  await service.close()
  await register.close()
})

/** From now on the register knows it so. */
function change(orgnr: string, words: Readonly<Record<string, string>>): void {
  for (const [name, answer] of Object.entries(copyOf(sample, SAMPLE.healthy, orgnr, words)))
    register.set(orgnr, name as 'enhet', answer)
}

async function watch(orgnr: string): Promise<void> {
  const answer = await fetch(`${service.address}/api/overvaking/${orgnr}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
    body: '{}',
  })
  expect(answer.status).toBeLessThan(300)
  await eventually('it was looked at', async () => (await seenOf(orgnr)).length >= 8)
}

const query = <Row extends Record<string, unknown>>(text: string, values: unknown[] = []) =>
  service.storage.database.query<Row>(text, values)
const seenOf = async (orgnr: string) =>
  (await query<{ kilde: string }>('select kilde from grunnlag where orgnr = $1', [Number(orgnr)])).map(
    ({ kilde }) => kilde,
  )
const logOf = async (orgnr: string) =>
  (await changesAfter(service.storage.database, { after: 0, prove: false, limit: 1000 })).filter(
    (each) => each.orgnr === orgnr,
  )
const told = (orgnr: string, type: string) =>
  eventually(`${type} is told of ${orgnr}`, async () =>
    (await logOf(orgnr)).some((each) => each.type === type),
  )

describe('P119: a watched company that nobody reads', () => {
  it('is looked at once it is watched, which is no change', async () => {
    await watch(watched)
    expect((await seenOf(watched)).sort()).toEqual([
      'enhet',
      'konsern',
      'kunngjoringer',
      'prokura',
      'regnskap',
      'roller',
      'signatur',
      'underenheter',
    ])
    expect(await logOf(watched)).toEqual([])
  })

  it('is told of with the register’s event, as soon as the feed tells of it', async () => {
    change(watched, { 'TINDEVÅG SJØMAT AS': 'NYTT NAVN AS', Øvrebø: 'Nyvalgt' })
    const event = register.publish('enheter', { organisasjonsnummer: watched, endringstype: 'Endring' })
    register.publish('roller', { organisasjonsnummer: watched })
    await told(watched, 'foretak.navn.endret')
    await told(watched, 'roller.styre.endret')
    const byType = new Map((await logOf(watched)).map((each) => [each.type, each]))
    expect(byType.get('foretak.navn.endret')).toMatchObject({
      felt: expect.arrayContaining([
        { felt: '/navn', for: expect.stringContaining('TINDEVÅG'), etter: 'NYTT NAVN AS' },
      ]),
      hendelse: { id: `enheter:${event}`, at: expect.any(Date) },
    })
    expect(byType.get('roller.styre.endret')?.hendelse?.id).toMatch(/^roller:/)
    const read = await service.get('/api/endringer?type=foretak.navn')
    expect(read.body.endringer).toMatchObject([{ organisasjonsnummer: watched, type: 'foretak.navn.endret' }])
  })

  it('has a history of it, never more exact than it was looked at', async () => {
    const { status, body } = await service.get(`/api/bedrift/${watched}/historikk`)
    expect(status).toBe(200)
    expect([...promised.Errors(body)]).toEqual([])
    const [renamed] = (await logOf(watched)).filter((each) => each.type === 'foretak.navn.endret')
    const time = { etter: renamed?.forrige.toISOString(), innen: renamed?.sett.toISOString() }
    expect(body.navn).toEqual([
      { felt: '/navn', verdi: 'NYTT NAVN AS', fra: time, til: null },
      { felt: '/navn', verdi: expect.stringContaining('TINDEVÅG'), fra: null, til: time },
    ])
    type Period = { felt: string; verdi: object; fra: unknown; til: unknown }
    const roles: Period[] = body.roller.filter(({ felt }: Period) => felt.startsWith('/roller/'))
    const who = (periods: Period[]) => JSON.stringify(periods.map(({ verdi }) => verdi))
    const left = who(roles.filter(({ til }) => til !== null))
    const came = who(roles.filter(({ fra }) => fra !== null))
    expect([left.includes('Øvrebø'), left.includes('Nyvalgt')]).toEqual([true, false])
    expect([came.includes('Øvrebø'), came.includes('Nyvalgt')]).toEqual([false, true])
    expect((await service.get(`/api/bedrift/${other}/historikk`)).body).toMatchObject({
      navn: [],
      roller: [],
    })
    expect((await service.get('/api/bedrift/910000004/historikk')).status).toBe(404)
  })

  it('is looked at for what no feed tells, when its time of the day has come', async () => {
    const { regnskap } = copyOf(sample, SAMPLE.healthy, watched, {})
    if (regnskap === undefined || !('json' in regnskap)) throw new Error('expected accounts')
    const filings = regnskap.json as { regnskapsperiode: { fraDato: string; tilDato: string } }[]
    const [latest] = filings
    const regnskapsperiode = { fraDato: '2031-01-01', tilDato: '2031-12-31' }
    register.set(watched, 'regnskap', {
      status: 200,
      json: [{ ...latest, id: 77, regnskapsperiode }, ...filings],
    })
    // What the feeds told of before is looked after, and when that was is noted.
    await eventually(
      'nothing is left of the feeds',
      async () => (await query('select 1 from registerhendelse')).length === 0,
    )
    await query(`update grunnlag set sett_at = sett_at - interval '1 day' where orgnr = $1`, [
      Number(watched),
    ])
    await query('update blikk set neste_at = now() where orgnr = $1', [Number(watched)])
    await told(watched, 'regnskap.nytt')
    const [{ neste_at: next } = { neste_at: new Date(0) }] = await query<{ neste_at: Date }>(
      'select neste_at from blikk where orgnr = $1',
      [Number(watched)],
    )
    expect(next.getTime()).toBeGreaterThan(Date.now() + 5 * HOUR_MS)
  })

  it('is told nothing of a source that was away and came back', async () => {
    const before = (await logOf(watched)).length
    register.calls.reset()
    register.setFault('roller', { kind: 'status', code: 503 }, { orgnr: watched })
    register.publish('roller', { organisasjonsnummer: watched })
    await eventually('it was asked in vain', () => register.calls.count('roller', watched) > 0)
    const waiting = () =>
      query(`select 1 from registerhendelse where orgnr = $1 and kilde = 'roller'`, [Number(watched)])
    expect(await waiting()).toHaveLength(1)
    register.clearFaults()
    await eventually('it was heard again', async () => (await waiting()).length === 0)
    expect((await logOf(watched)).length).toBe(before)
  })

  it('is looked at no more when nobody watches it', async () => {
    const gone = await fetch(`${service.address}/api/overvaking/${watched}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${service.token}` },
    })
    expect(gone.status).toBeLessThan(300)
    await query('update blikk set neste_at = now() where orgnr = $1', [Number(watched)])
    await eventually('it is out of the line', async () => (await query('select 1 from blikk')).length === 0)
  })
})

describe('P118: a company that is held and that nobody watches', () => {
  it('is told of when the feed tells of it', async () => {
    await service.get(`/api/bedrift/${held}`)
    change(held, { 'TINDEVÅG SJØMAT AS': 'HOLDT NAVN AS' })
    register.publish('enheter', { organisasjonsnummer: held, endringstype: 'Endring' })
    await told(held, 'foretak.navn.endret')
    expect((await service.get(`/api/bedrift/${held}/endringer`)).body.endringer).toMatchObject([
      { type: 'foretak.navn.endret' },
    ])
  })

  it('is told of with the register’s event, and an event that brought nothing is no later change’s', async () => {
    const events = () => query('select 1 from registerhendelse where orgnr = $1', [Number(held)])
    await eventually('the event before is looked after', async () => (await events()).length === 0)
    change(held, { 'TINDEVÅG SJØMAT AS': 'NAVN MED HENDELSE AS' })
    const id = register.publish('enheter', { organisasjonsnummer: held, endringstype: 'Endring' })
    await eventually('it is told', async () =>
      (await logOf(held)).some(({ hendelse }) => hendelse?.id === `enheter:${id}`),
    )
    register.publish('enheter', { organisasjonsnummer: held, endringstype: 'Endring' })
    await eventually('that came to nothing', async () => (await events()).length === 0)
  })
})

describe('P120: a company that is removed', () => {
  const places = async () => {
    const rows: unknown[] = []
    for (const table of [
      'endring',
      'grunnlag',
      'overvaking',
      'overvaking_endret',
      'blikk',
      'registerhendelse',
    ])
      rows.push(
        ...(await query(`select '${table}' as tabell from ${table} where orgnr = $1`, [Number(doomed)])),
      )
    for (const table of ['endring', 'grunnlag'])
      rows.push(
        ...(await query(`select '${table}, nevnt' as tabell from ${table} where $1 = any(nevner)`, [
          Number(doomed),
        ])),
      )
    return rows
  }

  it('is in nothing that tells of changes, also where it is named, and is not written of again', async () => {
    await watch(doomed)
    const named = { felt: '/roller/data/revisor', for: null, etter: { organisasjonsnummer: doomed } }
    const now = new Date()
    await writeInLog(
      service.storage.database,
      ...[doomed, other].map((orgnr) =>
        changeOf(orgnr, {
          seksjon: 'roller',
          type: 'roller.revisor.endret',
          felt: [named],
          nevner: [Number(doomed)],
          forrige: now,
          sett: now,
        }),
      ),
    )
    await query(`insert into registerhendelse values ($1, 'roller', 'roller:1', now(), now())`, [
      Number(doomed),
    ])
    expect((await places()).length).toBeGreaterThan(8)
    register.publish('enheter', { organisasjonsnummer: doomed, endringstype: 'Fjernet' })
    await eventually('it is gone from everywhere', async () => (await places()).length === 0)
    register.publish('enheter', { organisasjonsnummer: doomed, endringstype: 'Endring' })
    const again = await fetch(`${service.address}/api/overvaking/${doomed}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
      body: '{}',
    })
    expect(again.status).toBeGreaterThanOrEqual(400)
    // A later event is through: the one before it was, too.
    change(held, { 'TINDEVÅG SJØMAT AS': 'SISTE NAVN AS' })
    register.publish('enheter', { organisasjonsnummer: held, endringstype: 'Endring' })
    await eventually('a later event is done', async () => (await logOf(held)).length === 2)
    expect(await places()).toEqual([])
  })
})

describe('P119: invented companies', () => {
  it('change in the log as they do for readers, apart from what is real', async () => {
    const sandbox = await startTestService(register, {
      isLoaded: true,
      clock: { now: () => new Date(timeMs) },
    })
    try {
      const grounds = () => sandbox.storage.database.query('select prove from grunnlag where prove')
      await eventually('they have been looked at', async () => (await grounds()).length === 3)
      const log = async () =>
        (
          await fetch(`${sandbox.address}/api/endringer`, {
            headers: { authorization: `Bearer ${PUBLIC_TEST_KEY}` },
          })
        ).json() as Promise<{ endringer: { organisasjonsnummer: string; type: string }[] }>
      expect((await log()).endringer).toEqual([])
      timeMs = Date.parse('2026-11-22T12:00:30Z')
      await eventually('noon has come', async () => (await log()).endringer.length >= 2)
      expect((await log()).endringer.map((each) => [each.organisasjonsnummer, each.type]).sort()).toEqual([
        [LIVING.renamed, 'foretak.navn.endret'],
        [LIVING.bankruptAtNoon, 'foretak.konkurs.apnet'],
      ])
      expect(await changesAfter(sandbox.storage.database, { after: 0, prove: false, limit: 9 })).toEqual([])
      expect(
        (
          (await fetch(`${sandbox.address}/api/endringer`, {
            headers: { authorization: `Bearer ${sandbox.token}` },
          }).then((answer) => answer.json())) as { endringer: unknown[] }
        ).endringer,
      ).toEqual([])
    } finally {
      await sandbox.close()
    }
  })
})
