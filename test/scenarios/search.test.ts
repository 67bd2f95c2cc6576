import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import { SAMPLE, sampleAnswers } from '../fixtures/samples/index.ts'
import { eventually } from '../support/eventually.ts'
import { askHostile } from '../support/hostile-queries.ts'
import { copyOf, inventNumbers } from '../support/invented-companies.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { issueToken, startTestService, type TestService } from '../support/service.ts'
import { wholeDatabase } from '../support/whole-contents.ts'

const { companies, klass } = sampleAnswers()

describe('a search of the index', () => {
  let register: RegisterStandIn
  let service: TestService
  const search = async (q: string, more = '') =>
    (await service.get(`/api/bedrift/sok?q=${encodeURIComponent(q)}${more}`)).body
  const [renamed = '', doomed = ''] = inventNumbers(2)

  beforeAll(async () => {
    register = await startRegisterStandIn({ answers: { companies, klass } })
    const words = { 'TINDEVÅG SJØMAT AS': 'HAVGLEMSEL AS' }
    for (const [name, answer] of Object.entries(
      copyOf(companies.get(SAMPLE.healthy) ?? {}, SAMPLE.healthy, doomed, words),
    ))
      register.set(doomed, name as 'enhet', answer)
    service = await startTestService(register, { variables: { SOKEINDEKS: 'paa' } })
    await eventually('the index is built', async () => (await search('tindevåg')).grunnlag === 'indeks')
  })
  afterAll(async () => {
    await service.close()
    await register.close()
  })

  it.each([
    ['tindevag sjomat', 'navn'],
    ['TINDEVAAG SJØMAT', 'navn'],
    ['sjomat tindevåg as', 'alle_ord'],
    ['tindevåg sjømt', 'likhet'],
    ['båtsfjord fiskemottak', 'tidligere_navn'],
  ])('finds the company by %s', async (q, grunn) => {
    const { treff } = await search(q)
    expect(treff[0]).toMatchObject({ navn: 'TINDEVÅG SJØMAT AS', hvorfor: { grunn } })
  })

  it.each(['tindevag', 'tindvåg', 'tindev'])('finds the group by %s', async (q) => {
    const { treff } = await search(q)
    expect(treff.slice(0, 5).map(({ navn }: { navn: string }) => navn)).toContain('TINDEVÅG SJØMAT AS')
  })

  it('a site and a telephone number lead to who has them', async () => {
    for (const [q, grunn] of [
      ['https://www.tindevaag-sjomat.example/om-oss', 'nettsted'],
      ['+47 00 00 00 01', 'telefon'],
    ] as const) {
      const { treff } = await search(q)
      expect(treff.map(({ hvorfor }: { hvorfor: { grunn: string } }) => hvorfor.grunn)).toContain(grunn)
      expect(
        treff.map(({ organisasjonsnummer }: { organisasjonsnummer: string }) => organisasjonsnummer),
      ).toContain(SAMPLE.healthy)
    }
  })

  it('a number in any dress leads to its company, a sub-unit’s to the sub-unit, and a wrong one nowhere', async () => {
    for (const dress of [SAMPLE.healthy, `org.nr. ${SAMPLE.healthy}`, `NO ${SAMPLE.healthy} MVA`]) {
      const { visshet, treff } = await search(dress)
      expect([visshet, treff[0]?.organisasjonsnummer]).toEqual(['sikker', SAMPLE.healthy])
    }
    expect(await search('901012122')).toMatchObject({ visshet: 'ingen', totalt: 0, treff: [] })
  })

  it('pages go through all hits, each once, and a cursor of another search is refused', async () => {
    const whole = await search('as', '&size=100')
    const seen: string[] = []
    let etter = ''
    for (let page = 0; page < 100; page += 1) {
      const { treff, neste } = await search('tindevåg', `&size=2${etter}`)
      seen.push(
        ...treff.map(({ organisasjonsnummer }: { organisasjonsnummer: string }) => organisasjonsnummer),
      )
      if (neste === null) break
      etter = `&etter=${neste}`
    }
    const { totalt } = await search('tindevåg', '&size=100')
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen).toHaveLength(totalt)
    expect((await service.get(`/api/bedrift/sok?q=annet${etter}`)).status).toBe(400)
    expect(whole.grunnlag).toBe('indeks')
  })

  it('P75: what is typed to harm is answered or refused, and is never a fault', async () => {
    const { faults, statuses } = await askHostile(service.address, { token: service.token, count: 300 })
    expect(faults).toEqual([])
    expect(statuses).toMatchObject({ 200: expect.any(Number), 400: expect.any(Number) })
  })

  it('P75: a cursor of ours with another place in it leads to that place, to an empty page or nowhere', async () => {
    const { neste } = await search('tindevåg', '&size=1')
    const [, ...others] = JSON.parse(Buffer.from(neste, 'base64url').toString())
    for (const after of [1, 99, 2 ** 31, 2 ** 53 - 1, -1, 0.5, '1', null, [], {}]) {
      for (const orgnr of [others[0], 0, -1, 2 ** 53 - 1, 'x']) {
        const forged = Buffer.from(JSON.stringify([after, orgnr, ...others.slice(1)])).toString('base64url')
        const { status } = await service.get(`/api/bedrift/sok?q=tindev%C3%A5g&size=1&etter=${forged}`)
        expect([200, 400], `${after} ${orgnr}`).toContain(status)
      }
    }
  })

  it('filters leave what they say', async () => {
    const { treff } = await search('tindevåg', '&organisasjonsform=AS&type=enhet&size=100')
    expect(treff.length).toBeGreaterThan(0)
    expect(
      treff.every(
        ({ organisasjonsform, type }: { organisasjonsform: { kode: string }; type: string }) =>
          organisasjonsform.kode === 'AS' && type === 'enhet',
      ),
    ).toBe(true)
    expect((await service.get('/api/bedrift/sok?q=x&kommune=abc')).body).toMatchObject({
      parameter: 'kommune',
    })
  })

  it('an answer has an ETag, is packed, and says where it came from', async () => {
    const path = '/api/bedrift/forslag?q=tindev'
    const first = await service.get(path, { 'accept-encoding': 'gzip' })
    expect(first.headers.get('content-encoding')).toBe('gzip')
    expect(first.headers.get('cache-status')).toMatch(/fwd=miss/)
    const again = await service.get(path, {
      'accept-encoding': 'gzip',
      'if-none-match': first.headers.get('etag') ?? '',
    })
    expect(again.status).toBe(304)
    expect(again.headers.get('cache-status')).toMatch(/; hit/)
  })

  it('finn gives one company or says that it is not sure', async () => {
    const one = (await service.get('/api/bedrift/finn?navn=tindevag%20sjomat%20as')).body
    expect(one).toMatchObject({
      visshet: 'sikker',
      foretak: { organisasjonsnummer: SAMPLE.healthy },
      kandidater: [],
    })
    const many = (await service.get('/api/bedrift/finn?navn=tindev')).body
    expect(many).toMatchObject({ visshet: 'velg', foretak: null })
    expect((await service.get('/api/bedrift/finn?sted=oslo')).status).toBe(400)
  })

  it('hits of which nothing can be shown in time, as while an index takes another’s place: the register is asked', async () => {
    const [isLocked, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const holding = service.storage.database.transaction(async (connection) => {
      await connection.query('lock table sok_foretak in access exclusive mode')
      isLocked.resolve()
      await release.promise
    })
    await isLocked.promise
    try {
      for (const asked of [
        'sok?q=tindevåg%20havn',
        'forslag?q=tindevåg%20sjø',
        'finn?navn=tindevåg%20sjømat',
      ]) {
        const { status, body } = await service.get(`/api/bedrift/${asked}`)
        expect([asked, status, body.grunnlag]).toEqual([asked, 200, 'register'])
      }
    } finally {
      release.resolve()
      await holding
    }
  })

  it('P61: whoever searches for a hundred names at once leaves a connection for another', async () => {
    const other = { authorization: `Bearer ${await issueToken(service.storage)}` }
    const crowd: Promise<unknown>[] = []
    let isOver = false
    const askOn = async (name: string) => {
      for (let turn = 0; !isOver && turn < 100; turn += 1)
        await service.get(`/api/bedrift/sok?q=${encodeURIComponent(`tindevog sjomot ${name} ${turn}`)}`)
    }
    await service.storage.database
      .transaction(async (connection) => {
        await connection.query('lock table sok_ord in access exclusive mode')
        for (let n = 0; n < 100; n += 1) crowd.push(askOn(`nr${n}`))
        await eventually('they wait', async () => {
          // Not in the transaction: PostgreSQL shows it what was there when it first looked.
          const waiting = await service.storage.database.query(
            `select pid from pg_stat_activity where datname = current_database()
             and application_name = 'bedriftsoppslag search' and wait_event_type = 'Lock'`,
          )
          return waiting.length >= policy.search.connectionsForOneMax
        })
        // Each is another question: none is held. One that a busy machine is too late for is answered by the register, and asked again.
        let size = 0
        for (let found = 0; found < 5; found += 1)
          await eventually('another finds it in the index', async () => {
            size += 1
            const { body } = await service.get(`/api/bedrift/sok?q=${SAMPLE.healthy}&size=${size}`, other)
            return body.grunnlag === 'indeks'
          })
      })
      .finally(async () => {
        isOver = true
        await Promise.all(crowd)
      })
  })

  it('a company that is new to the register is found by what the feed tells of it', async () => {
    const words = { 'TINDEVÅG SJØMAT AS': 'NYDØPT HAVFISK AS' }
    for (const [name, answer] of Object.entries(
      copyOf(companies.get(SAMPLE.healthy) ?? {}, SAMPLE.healthy, renamed, words),
    ))
      register.set(renamed, name as 'enhet', answer)
    expect((await search('nydøpt havfisk')).treff).toEqual([])
    register.publish('enheter', { organisasjonsnummer: renamed, endringstype: 'Ny' } as never)
    await eventually(
      'it is found',
      async () => {
        return (
          (await search(`nydopt havfisk${' '.repeat(Math.floor(Math.random() * 20))}`)).treff[0]
            ?.organisasjonsnummer === renamed
        )
      },
      60_000,
    )
  })

  it('P11: a removed company is in no answer and in no table, and the file made before does not bring it back', async () => {
    expect((await search('havglemsel')).treff).toMatchObject([{ organisasjonsnummer: doomed }])
    register.publish('enheter', { organisasjonsnummer: doomed, endringstype: 'Fjernet' } as never)
    await eventually('it is found no more', async () => (await search('havglemsel')).treff.length === 0)
    await eventually('it is in no table', async () => {
      return !/havglemsel/i.test(await wholeDatabase(service.storage.database))
    })
  })
})
