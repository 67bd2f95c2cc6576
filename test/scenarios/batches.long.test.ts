import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PUBLIC_TEST_KEY } from '#src/access/public-test-key.ts'
import { createBatchWork } from '#src/record/batches.ts'
import { EXAMPLE_BATCH } from '#src/samples/questions.ts'
import { revokeKey } from '#src/storage/keys.ts'
import { SAMPLE } from '#test/fixtures/samples/index.ts'
import { createTestClock, HOUR_MS, type TestClock } from '../support/clock.ts'
import { eventually } from '../support/eventually.ts'
import { AT, kodeOf, linesIn, placeOf, speaking } from '../support/handed-in-lists.ts'
import { answersWithCopies, inventNumbers } from '../support/invented-companies.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { issueToken, startTestService, type TestService } from '../support/service.ts'

const numbers = inventNumbers(20)

/** While workers are killed: test/processes. */
describe('P109: a list that is handed in', () => {
  let clock: TestClock
  let register: RegisterStandIn
  let service: TestService
  let token: string
  const front = speaking(() => service.address)

  beforeAll(async () => {
    clock = createTestClock()
    register = await startRegisterStandIn({ answers: answersWithCopies(numbers) })
    service = await startTestService(register, { clock, isLoaded: true })
    token = service.token
  })
  afterAll(async () => {
    await service.close()
    await register.close()
  })

  const isDone = async (place: string, key = token) =>
    JSON.parse((await front.get(place, { token: key })).text).fremdrift === 'ferdig'

  const done = (place: string, key = token) => eventually('the list is done', () => isDone(place, key))

  it('is one under its name, however often it is sent, and no other list is', async () => {
    const few = JSON.stringify(numbers.slice(0, 3))
    const first = await front.hand(few, { token, name: 'a' })
    const again = await front.hand(few, { token, name: 'a' })
    expect([again.status, placeOf(again)]).toEqual([202, placeOf(first)])
    for (const [body, query] of [[JSON.stringify(numbers.slice(0, 2))], [few, '?felt=navn']])
      expect(kodeOf(await front.hand(body ?? '', { token, name: 'a', query: query ?? '' }))).toEqual([
        409,
        'brukt_idempotensnokkel',
      ])
    const stranger = await issueToken(service.storage, clock)
    const others = await front.hand(few, { token: stranger, name: 'a' })
    expect(placeOf(others)).not.toBe(placeOf(first))
    await done(placeOf(first))
    for (const path of [placeOf(first), `${placeOf(first)}/resultat`])
      expect(kodeOf(await front.get(path, { token: stranger }))).toEqual([404, 'ukjent_bestilling'])
    expect(kodeOf(await front.remove(placeOf(first), { token: stranger }))).toEqual([
      404,
      'ukjent_bestilling',
    ])
    expect((await front.get(placeOf(first), { token })).status).toBe(200)
  })

  it('comes as a table or a workbook too, the table line by line', async () => {
    const placed = await front.hand(`${numbers.slice(0, 5).join('\n')}\n=1+1`, {
      token,
      name: 'tabell',
      type: 'text/plain',
    })
    await done(placeOf(placed))
    // The memory it was taken into is this process's own.
    const asked = () => numbers.slice(0, 5).map((each) => register.calls.count(undefined, each))
    const before = asked()
    expect(linesIn((await front.get(`${placeOf(placed)}/resultat`, { token })).text)).toHaveLength(7)
    expect(asked()).toEqual(before)
    const csv = await front.get(`${placeOf(placed)}/resultat`, { token, accept: 'text/csv' })
    const [head = '', ...rows] = csv.text.replace('\uFEFF', '').trimEnd().split('\r\n')
    expect([head.split(';').at(-1), rows.length]).toEqual(['feil', 6])
    expect(rows.map((row) => row.split(';')[0])).toEqual([...numbers.slice(0, 5), "'=1+1"])
    const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
    const book = await front.get(`${placeOf(placed)}/resultat`, { token, accept: type })
    expect([book.status, book.headers.get('content-type'), book.text.slice(0, 2)]).toEqual([200, type, 'PK'])
    expect((await front.get(`${placeOf(placed)}/resultat`, { token, accept: 'image/png' })).status).toBe(406)
  })

  it('that is taken back is gone, also while it is gone through', async () => {
    register.setFault('enhet', { kind: 'hang' })
    const placed = await front.hand(JSON.stringify(numbers.slice(10, 15)), { token, name: 'angret' })
    await eventually('it is being gone through', () => register.calls.inFlight('enhet') > 0)
    expect((await front.remove(placeOf(placed), { token })).status).toBe(204)
    register.clearFaults()
    expect(kodeOf(await front.get(placeOf(placed), { token }))).toEqual([404, 'ukjent_bestilling'])
    const left = await service.storage.database.query('select 1 from bestilling_del where bestilling = $1', [
      placeOf(placed).split('/').at(-1),
    ])
    expect(left).toEqual([])
  })

  it('waits for a register that can not be heard, and is gone on with when it can', async () => {
    const some = numbers.slice(15, 20)
    register.setFault('enhet', { kind: 'status', code: 500 })
    const placed = await front.hand(JSON.stringify(some), { token, name: 'nede', query: '?felt=navn' })
    const tries = async () =>
      (
        await service.storage.database.query<{ forsok: number }>(
          'select forsok from bestilling where id = $1',
          [placeOf(placed).split('/').at(-1)],
        )
      )[0]?.forsok ?? 0
    await eventually('it is put off', async () => (await tries()) > 0, 30_000)
    expect(JSON.parse((await front.get(placeOf(placed), { token })).text)).toMatchObject({ behandlet: 0 })
    register.clearFaults()
    // Put off once more, if the register that failed is still left alone.
    await eventually('it is gone on with', async () => {
      clock.advance(60_000)
      return isDone(placeOf(placed))
    })
    const guessed = `/api/bedrift${placeOf(placed).replace('/api', '')}/resultat?fra=2`
    const led = await fetch(service.address + guessed, {
      redirect: 'manual',
      headers: { authorization: `Bearer ${token}` },
    })
    expect([led.status, led.headers.get('location')]).toEqual([308, `${placeOf(placed)}/resultat?fra=2`])
    expect(JSON.parse((await front.get(placeOf(placed), { token })).text)).toMatchObject({
      foretak: 5,
      feil: 0,
    })
  })

  it('P11: has no number of a company that was removed on legal grounds, and says on its line that it is gone', async () => {
    const [first, second] = numbers.slice(0, 2)
    const placed = await front.hand(JSON.stringify([first, second, SAMPLE.removed]), {
      token,
      name: 'fjernes',
    })
    await done(placeOf(placed))
    register.publish('enheter', { organisasjonsnummer: first ?? '', endringstype: 'Fjernet' })
    const numbersLeft = async () =>
      (
        await service.storage.database.query<{ numre: number[] }>(
          'select numre from bestilling_del where bestilling = $1',
          [placeOf(placed).split('/').at(-1)],
        )
      )[0]?.numre
    await eventually(
      'it is taken out',
      async () => JSON.stringify(await numbersLeft()) === JSON.stringify([-1, Number(second), -1]),
      30_000,
    )
    const lines = linesIn((await front.get(`${placeOf(placed)}/resultat`, { token })).text)
    expect(
      lines.map(({ linje, organisasjonsnummer, feil }) => [linje, organisasjonsnummer, feil?.kode]),
    ).toEqual([
      [1, null, 'fjernet'],
      [2, second, undefined],
      [3, null, 'fjernet'],
      [undefined, undefined, undefined],
    ])
  })

  it('that is none, too long or without a name is refused in words, and a key has ten at a time', async () => {
    const few = JSON.stringify(numbers.slice(0, 2))
    expect(kodeOf(await front.hand(few, { token, name: '' }))).toEqual([400, 'ugyldig_parameter'])
    expect(kodeOf(await front.hand('{}', { token, name: 'b' }))).toEqual([400, 'ugyldig_parameter'])
    const long = JSON.stringify(Array.from({ length: 100_001 }, (_, index) => String(index)))
    expect(kodeOf(await front.hand(long, { token, name: 'b' }))).toEqual([400, 'ugyldig_parameter'])
    expect((await front.hand(`["${'9'.repeat(3_000_000)}"]`, { token, name: 'b' })).status).toBe(413)
    expect((await front.get(AT, { token })).status).toBe(405)
    // Beneath the address it is handed in at, too.
    const example = `${AT}/${EXAMPLE_BATCH.id}`
    expect((await front.get(example, { token: PUBLIC_TEST_KEY })).status).toBe(200)
    expect(kodeOf(await front.get(`${AT}/finnesikke`, { token }))).toEqual([404, 'ukjent_bestilling'])
    expect(kodeOf(await front.get(example, { token }))).toEqual([404, 'ukjent_bestilling'])
    const busy = await issueToken(service.storage, clock)
    for (let count = 0; count < 10; count++)
      expect((await front.hand(few, { token: busy, name: `${count}` })).status).toBe(202)
    const eleventh = await front.hand(few, { token: busy, name: 'ellevte' })
    expect(kodeOf(eleventh)).toEqual([429, 'for_mange_bestillinger'])
    expect(eleventh.headers.has('retry-after')).toBe(true)
  })

  it('of a hundred thousand numbers is taken on whole', async () => {
    const all = inventNumbers(100_000)
    const placed = await front.hand(all.join('\n'), { token, name: 'alle', type: 'text/plain' })
    expect([placed.status, JSON.parse(placed.text).linjer]).toEqual([202, 100_000])
    await front.remove(placeOf(placed), { token })
  })

  it('is erased when it is seven days old, and when its key ends', async () => {
    const leaving = await issueToken(service.storage, clock)
    const few = JSON.stringify(numbers.slice(0, 2))
    const old = await front.hand(few, { token, name: 'gammel' })
    const { database: db } = service.storage
    const work = createBatchWork({
      db,
      readerFor: () => expect.unreachable(),
      clock,
      policy: { rightsAtOnce: 1, triesMax: 1, tryAgainMs: 1 },
    })
    const left = async (place: string) =>
      (await db.query('select 1 from bestilling where id = $1', [place.split('/').at(-1)])).length
    clock.advance(7 * 24 * HOUR_MS - 1000)
    const young = await front.hand(few, { token: leaving, name: 'ung' })
    await work.removeOld()
    expect([await left(placeOf(old)), await left(placeOf(young))]).toEqual([1, 1])
    clock.advance(1000)
    await work.removeOld()
    expect([await left(placeOf(old)), await left(placeOf(young))]).toEqual([0, 1])
    await revokeKey(db, leaving.split('_')[2] ?? '', clock.now())
    await work.removeOld()
    expect(await left(placeOf(young))).toBe(0)
  })

  it('P94: can be tried with the public test key: of invented companies, and the oldest gives way', async () => {
    const key = { token: PUBLIC_TEST_KEY }
    const placed = await front.hand(JSON.stringify([SAMPLE.bankrupt, 'tull', SAMPLE.removed]), key)
    expect([placed.status, placed.headers.get('x-provedata')]).toEqual([202, 'true'])
    await done(placeOf(placed), PUBLIC_TEST_KEY)
    const lines = linesIn((await front.get(`${placeOf(placed)}/resultat`, key)).text)
    expect(lines.map(({ foretak, feil }) => foretak?.navn ?? feil?.kode)).toEqual([
      'NYE TINDEVÅG BRYGGE AS',
      'ugyldig_organisasjonsnummer',
      'fjernet',
      undefined,
    ])
    const example = linesIn((await front.get(`${AT}/${EXAMPLE_BATCH.id}/resultat`, key)).text)
    expect(example.map(({ organisasjonsnummer }) => organisasjonsnummer)).toEqual([
      ...EXAMPLE_BATCH.orgnrs,
      undefined,
    ])
    clock.advance(1000)
    for (let count = 0; count < 100; count++)
      await front.hand(JSON.stringify([SAMPLE.healthy]), { ...key, name: `nr-${count}` })
    expect((await front.get(placeOf(placed), key)).status).toBe(404)
    const many = JSON.stringify(inventNumbers(1001))
    expect(kodeOf(await front.hand(many, { ...key, name: 'for-lang' }))).toEqual([400, 'ugyldig_parameter'])
    for (const each of [SAMPLE.bankrupt, SAMPLE.healthy])
      expect(register.calls.count(undefined, each), each).toBe(0)
  })
})
