import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Bedrift } from '#src/record/record.ts'
import { Aksjonaerside } from '#src/record/share-reader.ts'
import { giveCacheOrder } from '#src/storage/cache-orders.ts'
import type { PackedHolder } from '#src/storage/shareholders/hidden-holders.ts'
import { compilePromised } from '#test/support/promised.ts'
import { type SampleService, startSampleService } from '#test/support/sample-service.ts'
import { SAMPLE, sampleAnswers } from '../fixtures/samples/index.ts'
import { eventually } from '../support/eventually.ts'
import { inventNumbers } from '../support/invented-companies.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { startTestService } from '../support/service.ts'
import { putYear, type TestBook } from '../support/share-books.ts'

const promised = compilePromised(Bedrift)
const promisedPage = compilePromised(Aksjonaerside)
const [owner = '', subsidiary = '', lone = '', held = '', nobody = ''] = inventNumbers(5)
const path = `/api/bedrift/${SAMPLE.healthy}`

const person = (n: string, shares: number): PackedHolder => ({ n, f: 1970, l: 'NO', a: [[0, shares]] })
const company = (orgnr: string, n: string, shares: number): PackedHolder => ({
  n,
  o: Number(orgnr),
  l: 'NO',
  a: [[0, shares]],
})
const crowd = Array.from({ length: 950 }, (_, index) => person(`NR ${index + 1}`, 1000 - index))

describe('the shareholder register in the record', () => {
  let register: RegisterStandIn
  let service: SampleService

  const books = (largest: string): TestBook[] => [
    {
      orgnr: SAMPLE.healthy,
      navn: 'TINDEVÅG SJØMAT AS',
      holders: [company(owner, largest, 700_000), person('KARI NORDMANN', 5000), ...crowd],
    },
    { orgnr: owner, navn: largest, holders: [person('KARI NORDMANN', 100)] },
    // Its owner has no share book of its own.
    { orgnr: held, navn: 'HAVN AS', holders: [company(lone, 'FISKARLAGET', 60), person('OLA NORDMANN', 40)] },
    { orgnr: subsidiary, navn: 'DATTER AS', holders: [company(SAMPLE.healthy, 'TINDEVÅG SJØMAT AS', 80)] },
  ]
  /** As the import does when it is through. */
  async function importYear(aar: number, with_: TestBook[]): Promise<void> {
    await putYear(service.storage.database, { aar, uttrekksdato: `${aar + 1}-05-07`, books: with_ })
    await order(false)
  }
  const order = (isHard: boolean) =>
    giveCacheOrder(service.storage.database, { company: '', sections: ['aksjonaerer', 'eierskap'], isHard })
  const read = async () => {
    const { body } = await service.get(path)
    expect([...promised.Errors(body)]).toEqual([])
    return body
  }
  const largest = async () => (await read()).aksjonaerer.data?.storste?.[0]?.navn

  beforeAll(async () => {
    service = await startSampleService({ isLoaded: true })
    register = service.register
  })
  afterAll(() => service.close())

  it('is not imported before anybody has delivered it: not empty, and no address answers with nothing', async () => {
    const { aksjonaerer, eierskap, kilder, komplett } = await read()
    expect([aksjonaerer, eierskap]).toEqual(Array(2).fill({ tilstand: 'ikke_importert', data: null }))
    expect(kilder.aksjonaerer.arsak.kode).toBe('arkiv_ikke_importert')
    expect(komplett).toBe(true)
    for (const address of ['aksjonaerer', 'eierskap', 'aksjonaerer?aar=2024'])
      expect((await service.get(`${path}/${address}`)).body.kode).toBe('aar_ikke_importert')
  })

  it('is there within seconds of the import, with its date and where it is from', async () => {
    await importYear(2023, books('GAMMEL EIER AS'))
    await importYear(2024, books('EIER AS'))
    // Another import, or what is told of this one, may make the next answer stale for a moment.
    let seen = await read()
    await eventually('the year is shown, and fresh', async () => {
      seen = await read()
      const isFresh = [seen.aksjonaerer, seen.eierskap].every(({ tilstand }) => tilstand === 'fersk')
      return isFresh && seen.aksjonaerer.data.aar === 2024
    })
    const { aksjonaerer, eierskap, kilder, komplett } = seen
    const { data } = aksjonaerer
    expect(data).toMatchObject({ gjelderPer: '2024-12-31', innehavere: 952 })
    expect(data.storste).toHaveLength(20)
    expect(data.storste[0]).toMatchObject({ navn: 'EIER AS', organisasjonsnummer: owner, type: 'foretak' })
    const [newest, before, missing] = data.historikk
    expect(newest).toMatchObject({ aar: 2024, leveranse: { uttrekksdato: '2025-05-07' } })
    expect(before).toMatchObject({ aar: 2023, arkivet: 'importert', foretaket: 'funnet' })
    expect(before.storste[0].navn).toBe('GAMMEL EIER AS')
    expect(missing).toMatchObject({ aar: 2022, arkivet: 'ikke_importert' })
    expect(data.historikk).toHaveLength(23)
    expect(eierskap).toMatchObject({
      tilstand: 'fersk',
      data: {
        aar: 2024,
        eierI: { antall: 1, andeler: [{ organisasjonsnummer: subsidiary, prosent: 100 }] },
        oppover: { mellomledd: [{ foretak: { organisasjonsnummer: owner } }] },
      },
    })
    expect(kilder.aksjonaerer).toMatchObject({
      kilde: 'Skatteetaten, aksjonærregisteret',
      gjelderPer: '2024-12-31',
      tilstand: 'fersk',
    })
    expect(kilder.aksjonaerer.hentet).not.toBeNull()
    expect(komplett).toBe(true)
  })

  it('says so where a company is in no year, and leaves a sub-unit’s to its parent', async () => {
    const { body } = await service.get(`/api/bedrift/${SAMPLE.bankrupt}`)
    expect(body.aksjonaerer).toEqual({ tilstand: 'ikke_funnet', data: null })
    expect(body.kilder.aksjonaerer.arsak.kode).toBe('ikke_i_aksjonaerregisteret')
    expect((await service.get(`/api/bedrift/${SAMPLE.bankrupt}/aksjonaerer`)).body).toMatchObject({
      kode: 'ikke_i_aksjonaerregisteret',
      aar: 2024,
    })
    const { body: subUnit } = await service.get(`/api/bedrift/${SAMPLE.subUnit}`)
    expect(subUnit.aksjonaerer.tilstand).toBe('ikke_relevant')
  })

  it('a year that is imported again is shown within seconds, from memory too', async () => {
    await importYear(2024, books('NY EIER AS'))
    await eventually('the new edition is shown', async () => (await largest()) === 'NY EIER AS')
    expect((await read()).kilder.aksjonaerer.tilstand).toBe('fersk')
  })

  it('P18: while a year is imported again every record is of the old edition or the new, in all its sections', async () => {
    const editions = new Set<string>()
    let isImporting = true
    const reading = (async () => {
      for (; isImporting; await pause(10)) {
        const { aksjonaerer, eierskap } = (await service.get(path)).body
        // What can not be had in the same edition is not shown.
        if (aksjonaerer.data === null || eierskap.data === null) continue
        const edition = aksjonaerer.data.storste[0].navn
        expect(eierskap.data.oppover.mellomledd[0].foretak.navn).toBe(edition)
        editions.add(edition)
      }
    })()
    for (const edition of ['UTGAVE 1 AS', 'NY EIER AS']) {
      editions.clear()
      await importYear(2024, books(edition))
      await eventually('the edition is read', () => editions.has(edition))
    }
    isImporting = false
    await reading
  })

  describe('all holders, page by page', () => {
    it('every one once, in one order, and then no more', async () => {
      const names: string[] = []
      let etter = ''
      let pages = 0
      for (; ; pages++) {
        const { body, status } = await service.get(`${path}/aksjonaerer?size=300${etter}`)
        expect(status).toBe(200)
        expect([...promisedPage.Errors(body)]).toEqual([])
        // biome-ignore lint/suspicious/noExplicitAny: checked against the schema above
        names.push(...body.aksjonaerer.map(({ navn }: any) => navn))
        expect(body.aksjonaerer[0].plass).toBe(pages * 300 + 1)
        if (body.neste === null) break
        etter = `&etter=${body.neste}`
      }
      expect(pages).toBe(3)
      expect(names).toEqual(['NY EIER AS', 'KARI NORDMANN', ...crowd.map(({ n }) => n)])
    })

    it('of an earlier year; a year that is not there is not an empty list', async () => {
      const { body } = await service.get(`${path}/aksjonaerer?aar=2023&size=1`)
      expect(body).toMatchObject({
        aar: 2023,
        gjelderPer: '2023-12-31',
        aksjonaerer: [{ navn: 'GAMMEL EIER AS' }],
      })
      expect((await service.get(`${path}/aksjonaerer?aar=2002`)).body).toMatchObject({
        kode: 'aar_ikke_importert',
        aar: 2002,
      })
    })

    it.each([
      'size=0',
      'size=501',
      'size=1e2',
      'aar=2001',
      'aar=20x4',
      'etter=tull',
      'etter=',
      'side=2',
      'size=1&size=2',
    ])('?%s is refused', async (query) => {
      const { body } = await service.get(`${path}/aksjonaerer?${query}`)
      expect(body).toMatchObject({ status: 400, kode: 'ugyldig_parameter' })
    })

    it('a cursor is of one company and one year', async () => {
      const { body } = await service.get(`${path}/aksjonaerer?size=1`)
      const other = await service.get(`/api/bedrift/${owner}/aksjonaerer?etter=${body.neste}`)
      expect(other.body).toMatchObject({ kode: 'ugyldig_parameter', parameter: 'etter' })
      const otherYear = await service.get(`${path}/aksjonaerer?aar=2023&etter=${body.neste}`)
      expect(otherYear.body.kode).toBe('ugyldig_parameter')
    })

    it('P18: a cursor of an edition that was replaced is told to begin anew', async () => {
      const { body } = await service.get(`${path}/aksjonaerer?size=400`)
      await importYear(2024, books('NYESTE EIER AS'))
      const gone = await service.get(`${path}/aksjonaerer?size=400&etter=${body.neste}`)
      expect(gone.body).toMatchObject({ status: 409, kode: 'foreldet_peker' })
      await eventually('the first page is of the new edition', async () => {
        const { body: first } = await service.get(`${path}/aksjonaerer?size=1`)
        return first.aksjonaerer[0].navn === 'NYESTE EIER AS'
      })
    })
  })

  describe('who owns whom', () => {
    it('upwards, downwards or both, in any year', async () => {
      const { body } = await service.get(`${path}/eierskap?retning=opp&dybde=1`)
      expect(body).toMatchObject({ aar: 2024, nedover: null, flagg: { avkortet: true } })
      const down = await service.get(`${path}/eierskap?retning=ned&aar=2023`)
      expect(down.body).toMatchObject({
        aar: 2023,
        navn: 'TINDEVÅG SJØMAT AS',
        harAksjebok: true,
        oppover: null,
        nedover: { datterselskap: [{ organisasjonsnummer: subsidiary }] },
      })
      expect((await service.get(`${path}/eierskap?dybde=99`)).body.kode).toBe('ugyldig_parameter')
      expect((await service.get(`${path}/eierskap?retning=bort`)).body.kode).toBe('ugyldig_parameter')
    })

    it('of whoever is not in the register, as of all shareholders: 404, never an empty list, never a statement', async () => {
      for (const orgnr of [nobody, SAMPLE.association, SAMPLE.subUnit, SAMPLE.deleted]) {
        const { body: page } = await service.get(`/api/bedrift/${orgnr}/aksjonaerer`)
        expect(page).toMatchObject({ status: 404, kode: 'ikke_i_aksjonaerregisteret' })
        for (const query of ['', '?retning=opp', '?retning=ned', '?format=bods']) {
          const { status, body } = await service.get(`/api/bedrift/${orgnr}/eierskap${query}`)
          expect([status, body.kode, body.aar], orgnr + query).toEqual([404, page.kode, page.aar])
        }
      }
    })

    it('an owner without a share book: what it owns, its name, and nothing of who owns it', async () => {
      for (const query of ['', '?retning=ned', '?retning=opp']) {
        const { status, body } = await service.get(`/api/bedrift/${lone}/eierskap${query}`)
        expect([status, body.harAksjebok, body.oppover], query).toEqual([200, false, null])
        if (query !== '?retning=opp') {
          expect(body).toMatchObject({
            navn: 'FISKARLAGET',
            eierI: { antall: 1, andeler: [{ navn: 'HAVN AS' }] },
          })
        }
      }
    })

    it('as BODS where that is asked for', async () => {
      const asked = [
        await service.get(`${path}/eierskap?format=bods`),
        await service.get(`${path}/eierskap`, { accept: 'application/vnd.bods+json' }),
        await service.get(`${path}/eierskap`, {
          accept: 'application/json;q=0.5, application/vnd.bods+json',
        }),
      ]
      for (const { status, headers, body } of asked) {
        expect(status).toBe(200)
        expect(headers.get('content-type')).toContain('application/vnd.bods+json')
        expect(headers.get('vary')).toContain('Accept')
        expect(body[0]).toMatchObject({ recordType: 'entity', publicationDetails: { bodsVersion: '0.4' } })
      }
      const plain = [
        await service.get(`${path}/eierskap?format=json`, { accept: 'application/vnd.bods+json' }),
        await service.get(`${path}/eierskap`, {
          accept: 'application/json, application/vnd.bods+json;q=0.5',
        }),
        await service.get(`${path}/eierskap`, { accept: '*/*' }),
      ]
      for (const { headers } of plain) expect(headers.get('content-type')).toContain('application/json')
    })
  })

  it('the addresses are guarded, read-only and answer HEAD', async () => {
    for (const address of [`${path}/aksjonaerer`, `${path}/eierskap`]) {
      expect((await service.getBare(address)).status).toBe(401)
      const head = await fetch(service.address + address, {
        method: 'HEAD',
        headers: { authorization: `Bearer ${service.token}` },
      })
      expect([head.status, await head.text()]).toEqual([200, ''])
      const posted = await fetch(service.address + address, { method: 'POST' })
      expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    }
  })

  it.each(['', '/aksjonaerer', '/eierskap', '/eierskap?format=bods', '/../sok?q=tindev%C3%A5g'])(
    'who has an answer of %s already is not sent it again',
    async (suffix) => {
      const ask = (known?: string) =>
        service.get(path + suffix, known === undefined ? {} : { 'if-none-match': known })
      // On a busy machine a part of it comes behind the first who ask, and makes another answer of it: that is one to begin anew with.
      await eventually('it stays as it is while it is asked for', async () => {
        const first = await ask()
        const tag = first.headers.get('etag') ?? ''
        expect([first.status, tag]).toEqual([200, expect.stringMatching(/^W\/"[\w-]{22}(?:-gzip)?"$/)])
        const again = [await ask(tag), await ask(`"x", ${tag.slice(2)}`)]
        const other = await ask('"x"')
        if (other.headers.get('etag') !== tag || other.text !== first.text) return false
        expect(again.map(({ status, text, headers }) => [status, text, headers.get('etag')])).toEqual(
          Array(2).fill([304, '', tag]),
        )
        expect(other.status).toBe(200)
        return true
      })
    },
  )

  it('a person is the same one in the record, in every page and in the structure', async () => {
    // biome-ignore lint/suspicious/noExplicitAny: any answer
    const idIn = ({ body }: { body: any }) =>
      /"navn":"KARI NORDMANN"[^{}]*"aksjonaerId":"(ai_[\w-]{22})"|"aksjonaerId":"(ai_[\w-]{22})"[^{}]*"navn":"KARI NORDMANN"/
        .exec(JSON.stringify(body))
        ?.slice(1)
        .find((id) => id !== undefined)
    const answers = ['', '/aksjonaerer', '/aksjonaerer?aar=2023', '/eierskap'].map((at) =>
      service.get(path + at),
    )
    const ids = (await Promise.all(answers)).map(idIn)
    expect(ids[0]).toBeDefined()
    expect(new Set(ids).size).toBe(1)
  })

  it('P21: who is hidden is hidden in the record, in every page and in the structure, in every year', async () => {
    await service.storage.database.query(
      `insert into skjult_person (navn, fodselsaar) values ('KARI NORDMANN', 1970)`,
    )
    await order(true)
    await eventually('nobody is shown any more', async () => !JSON.stringify(await read()).includes('KARI'))
    const { historikk, storste } = (await read()).aksjonaerer.data
    expect(storste[1]).toMatchObject({
      navn: null,
      fodselsaar: null,
      skjult: true,
      aksjonaerId: null,
      aksjer: 5000,
    })
    expect(historikk[1].storste[1]).toMatchObject({ navn: null, skjult: true })
    for (const address of ['aksjonaerer?aar=2023', 'aksjonaerer', 'eierskap', 'eierskap?format=bods'])
      expect((await service.get(`${path}/${address}`)).text).not.toContain('KARI')
  })

  it('P11: a company that is removed is in nobody’s share book any more', async () => {
    expect((await service.get(path)).text).toContain('NYESTE EIER AS')
    register.set(owner, 'enhet', {
      status: 410,
      json: { respons_klasse: 'FjernetEnhet', organisasjonsnummer: owner, slettedato: '2026-11-01' },
    })
    expect((await service.get(`/api/bedrift/${owner}`)).status).toBe(410)
    for (const address of ['aksjonaerer', 'eierskap'])
      expect((await service.get(`/api/bedrift/${owner}/${address}`)).body.kode).toBe('fjernet')
    const isNamed = (text: string) => text.includes('EIER AS') || text.includes(owner)
    await eventually('no answer names it', async () => {
      const answers = await Promise.all(
        ['', '/aksjonaerer', '/eierskap'].map((address) => service.get(path + address)),
      )
      return !answers.some(({ text }) => isNamed(text))
    })
    await eventually('the share books are clean', async () => {
      const rows = await service.storage.database.query<{ text: string }>(
        `select b::text as text from aksjebok b union all select e::text from eierandel e`,
      )
      return !rows.some(({ text }) => isNamed(text))
    })
    const { storste } = (await read()).aksjonaerer.data
    expect(storste[0]).toMatchObject({ navn: null, organisasjonsnummer: null, aksjer: 700_000 })
  })
})

describe('P2: PostgreSQL away', () => {
  it('costs what nobody holds of the archive, and nothing else', async () => {
    const register = await startRegisterStandIn({ answers: sampleAnswers() })
    const service = await startTestService(register, { isLoaded: true, workers: false })
    try {
      await putYear(service.storage.database, {
        aar: 2024,
        books: [{ orgnr: SAMPLE.healthy, holders: [person('KARI NORDMANN', 1)] }],
      })
      await eventually('the year is shown', async () => {
        const { body } = await service.get(path)
        return body.aksjonaerer.data?.aar === 2024
      })
      await service.storage.database.query('alter table aksjebok rename to borte')
      const { body } = await service.get(`/api/bedrift/${SAMPLE.usd}`)
      expect(body.aksjonaerer).toEqual({ tilstand: 'utilgjengelig', data: null })
      expect(body.kilder.aksjonaerer.arsak.kode).toBe('feilstatus')
      expect(body.komplett).toBe(false)
      expect(body.roller.tilstand).toBe('fersk')
      // What is held goes on being served.
      expect((await service.get(path)).body.aksjonaerer.tilstand).toBe('fersk')
      const paged = await service.get(`${path}/aksjonaerer`)
      expect(paged.body).toMatchObject({ status: 503, kode: 'arkiv_utilgjengelig' })
      expect(paged.headers.get('retry-after')).not.toBeNull()
    } finally {
      await service.close()
      await register.close()
    }
  })
})
