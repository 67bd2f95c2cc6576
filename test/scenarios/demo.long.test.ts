import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PUBLIC_TEST_KEY } from '#src/access/public-test-key.ts'
import { besideDemo, noteDemo } from '#src/commands/oppslag/beside-demo.ts'
import { systemClock } from '#src/core/clock.ts'
import { isOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import { LIVING } from '#src/samples/living.ts'
import { SAMPLE, sampleNumbers, UNKNOWN_NUMBER } from '#src/samples/numbers.ts'
import { createSamples } from '#src/wiring/samples.ts'
import { fillDemo } from '../demo/fill.ts'
import { openDemo, type Surroundings, startSurroundings } from '../demo/open-demo.ts'
import { read as readText, written } from '../documents/texts.ts'
import { runCommand } from '../support/command.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'
import { formBrowser } from '../support/form-browser.ts'
import { keyIn } from '../support/mail-server.ts'

const folder = mkdtempSync(join(tmpdir(), 'oppslag-demo-'))
let database: TestDatabase
let around: Surroundings
let demo: Awaited<ReturnType<typeof openDemo>>

const samples = createSamples({ clock: systemClock })

// biome-ignore lint/suspicious/noExplicitAny: looked into field by field
type Body = any

async function ask(path: string, token = demo.token): Promise<{ status: number; text: string; body: Body }> {
  const answer = await fetch(demo.address + path, { headers: { authorization: `Bearer ${token}` } })
  const text = await answer.text()
  const isJson = answer.headers.get('content-type')?.includes('json') ?? false
  return { status: answer.status, text, body: isJson ? JSON.parse(text) : null }
}

/**
 * Asked for anew until it is so. On a busy machine a part of a company, or the years that are kept of its accounts, may have come
 * too late for who looked at it first.
 */
async function askUntil(
  path: string,
  isSo: (answer: Awaited<ReturnType<typeof ask>>) => boolean,
): ReturnType<typeof ask> {
  let answer = await ask(path)
  await eventually(
    `${path} is whole`,
    async () => {
      if (!isSo(answer)) answer = await ask(`${path}?fersk=true`)
      return isSo(answer)
    },
    100_000,
  )
  return answer
}

const hasKeptYears = ({ body }: { body: Body }) => body.regnskap.data?.arkivLest !== false

describe('the demo', { timeout: 120_000 }, () => {
  beforeAll(async () => {
    database = await createTestDatabase()
    around = await startSurroundings()
    const env = {
      DATABASE_URL: database.url,
      DATA_DIR: folder,
      PORT: '0',
      OPS_PORT: '0',
      LOG_LEVEL: 'silent',
    }
    demo = await openDemo(env, around)
    await askUntil(`/api/bedrift/${SAMPLE.healthy}`, hasKeptYears)
  }, 120_000)
  afterAll(async () => {
    await demo.close()
    await around.close()
    await database.close()
    rmSync(folder, { recursive: true })
  })

  it('the first screen is ten lines at most, and its call as printed has owners, six years and everything', async () => {
    expect(demo.screen.length).toBeLessThanOrEqual(10)
    const [line = ''] = demo.screen.filter((each) => /^curl .*api\/bedrift\/[0-9]{9}$/.test(each))
    const [, header = '', url = ''] = /-H '([^']+)' (\S+)$/.exec(line) ?? []
    const [name = '', value = ''] = header.split(': ')
    const answer = await fetch(url, { headers: { [name]: value } })
    const record = (await answer.json()) as Body
    expect([answer.status, record.komplett, record.regnskap.data.aar.length]).toEqual([200, true, 6])
    expect(record.aksjonaerer.data.storste.length).toBeGreaterThan(5)
    expect(record.eierskap.data.oppover.eiere.length).toBeGreaterThan(5)
  })

  it('P48: attack: a page of a stranger’s whose name leads here reads none of its mails, keys and messages, and lets nothing happen', async () => {
    const asked = (method: string, path: string, host: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const headers = { host, origin: `http://${host}` }
        httpRequest(demo.address + path, { method, headers }, (answer) => {
          answer.resume()
          resolve(answer.statusCode)
        })
          .on('error', reject)
          .end()
      })
    for (const path of ['/demo/post', '/demo/hendelser', '/demo/mottak']) {
      expect([path, await asked('GET', path, 'ond.example')]).toEqual([path, 421])
      expect([path, await asked('GET', path, 'localhost')]).toEqual([path, 200])
    }
    expect(
      await asked('POST', '/demo/hendelser', `127.0.0.1.ond.example:${new URL(demo.address).port}`),
    ).toBe(421)
  })

  it('every address it prints answers, and the token is a way in to the operators’ side', async () => {
    const screen = demo.screen.join('\n')
    for (const [url] of screen.matchAll(/http:\/\/\S+/g)) {
      // The call is tried above; the operators' side wants its token.
      if (url.includes('/api/') || url === demo.service.opsAddress) continue
      expect([url, (await fetch(url)).status]).toEqual([url, 200])
    }
    const [, opsAddress = '', token = ''] = /(http:\S+) +token: (\S+)/.exec(screen) ?? []
    const overview = await fetch(opsAddress, { headers: { authorization: `Bearer ${token}` } })
    expect([overview.status, await overview.text()]).toEqual([200, expect.stringContaining('Prosesser')])
  })

  it.each(Object.entries(SAMPLE))(
    '%s: what the page shows is what the API answers, field by field',
    async (_, orgnr) => {
      const shown = await samples.read(orgnr)
      const answer = await askUntil(
        `/api/bedrift/${orgnr}`,
        (it) =>
          it.status !== 200 ||
          (shown.outcome === 'record' && it.body.komplett === shown.record.komplett && hasKeptYears(it)),
      )
      if (shown.outcome === 'record') {
        expect(answer.status).toBe(200)
        expect(withoutFetching(answer.body)).toEqual(
          withoutFetching(JSON.parse(JSON.stringify(shown.record))),
        )
      } else expect([shown.outcome, answer.status, orgnr]).toEqual(['removed', 410, SAMPLE.removed])
    },
  )

  it('every number a page, the documentation or the README mentions is one of its companies', async () => {
    const pages = [
      '/',
      '/eksempel',
      '/eksempler',
      '/kjop',
      '/vilkar',
      '/personvern',
      '/openapi.json',
      '/status',
      '/dokumentasjon',
      '/dokumentasjon/sandkasse',
    ]
    const shown = await Promise.all([
      ...[...pages, ...sampleNumbers.map((orgnr) => `/eksempel/${orgnr}`)].map((path) => ask(path)),
    ])
    const guides = written(/\.md$/).filter((file) => !file.startsWith('test/'))
    const texts = [...shown.map(({ text }) => text), ...guides.map(readText)]
    const numbers = new Set(texts.flatMap(numbersIn))
    expect(numbers.size).toBeGreaterThanOrEqual(sampleNumbers.length)
    // Those that are there to be unlike the others are the sandbox's: it is asked with the key that is for everybody.
    const unlike = new Map<string, number>([
      [SAMPLE.removed, 410],
      [UNKNOWN_NUMBER, 404],
      [LIVING.tooMany, 429],
      [LIVING.unavailable, 503],
    ])
    const living = new Set<string>(Object.values(LIVING))
    for (const orgnr of numbers) {
      const token = living.has(orgnr) ? PUBLIC_TEST_KEY : demo.token
      const { status } = await ask(`/api/bedrift/${orgnr}`, token)
      expect([orgnr, status]).toEqual([orgnr, unlike.get(orgnr) ?? 200])
    }
  })

  it('shareholders answer page by page, ownership as BODS, and who is hidden nowhere', async () => {
    const holders = []
    let innehavere = 0
    for (let neste: string | null = ''; neste !== null; ) {
      const etter = neste === '' ? '' : `&etter=${neste}`
      const { body } = await ask(`/api/bedrift/${SAMPLE.usd}/aksjonaerer?size=500${etter}`)
      holders.push(...body.aksjonaerer)
      ;({ neste, innehavere } = body)
    }
    expect(holders.map(({ plass }) => plass)).toEqual(
      Array.from({ length: innehavere }, (_, index) => index + 1),
    )
    const bods = (await ask(`/api/bedrift/${SAMPLE.healthy}/eierskap?format=bods`)).text
    expect(bods).toContain('anonymousPerson')
    expect(bods).not.toContain('LØNNDAL')
    expect((await ask(`/api/bedrift/${SAMPLE.healthy}`)).text).not.toContain('LØNNDAL')
  })

  describe('its search', () => {
    const found = async (q: string, path = 'sok') =>
      (await ask(`/api/bedrift/${path}?q=${encodeURIComponent(q)}`)).body as Body
    beforeAll(() =>
      eventually('its index is built', async () => (await found('tindevåg')).grunnlag === 'indeks', 90_000),
    )

    it.each([
      ['tindevag', 'navn', SAMPLE.holding],
      ['tindvåg', 'likhet', SAMPLE.holding],
      ['tindevag sjomat', 'navn', SAMPLE.healthy],
      ['båtsfjord fiskemottak', 'tidligere_navn', SAMPLE.healthy],
      ['www.tindevaag-sjomat.example', 'nettsted', SAMPLE.healthy],
      ['00 00 00 01', 'telefon', SAMPLE.healthy],
    ])('finds the company by %s', async (q, grunn, orgnr) => {
      const { treff } = await found(q)
      const reasons = Object.fromEntries(
        treff.map((each: Body) => [each.organisasjonsnummer, each.hvorfor.grunn]),
      )
      expect(reasons).toMatchObject({ [orgnr]: grunn })
    })

    it('suggests it from the second letter on', async () => {
      for (let letters = 2; letters <= 'tindevåg sj'.length; letters += 1) {
        const { grunnlag, treff } = await found('tindevåg sj'.slice(0, letters), 'forslag')
        expect([grunnlag, treff.length > 0]).toEqual(['indeks', true])
        expect(treff.every(({ navn }: Body) => navn.includes('TINDEVÅG'))).toBe(true)
      }
      expect((await found('tindevåg sj', 'forslag')).treff[0].organisasjonsnummer).toBe(SAMPLE.healthy)
    })
  })

  describe('what a person lets happen there', () => {
    const press = (hendelse: string, orgnr: string = SAMPLE.partOwned) =>
      fetch(`${demo.address}/demo/hendelser`, {
        method: 'POST',
        body: new URLSearchParams({ orgnr, hendelse }),
        redirect: 'manual',
      })
    const shown = async () => (await fetch(`${demo.address}/demo/hendelser`)).text()

    const happenings: [string, string, (body: Body) => boolean][] = [
      ['konkurs', SAMPLE.partOwned, (body) => body.status.data.konkurs.gjelder === true],
      ['navn', SAMPLE.subsidiary, (body) => body.navn === 'TINDEVÅG FRYSERI AS 1'],
      ['styremedlem', SAMPLE.circle, (body) => JSON.stringify(body.roller).includes('Sjåvik')],
      ['adresse', SAMPLE.circleOther, (body) => JSON.stringify(body.adresser).includes('Nykaia 3')],
      ['slettet', SAMPLE.investor, (body) => body.status.data.slettet.gjelder === true],
    ]
    const areSo = (claim: (body: Body, isSo: (body: Body) => boolean) => boolean) =>
      Promise.all(
        happenings.map(([hendelse, orgnr, isSo]) =>
          eventually(`${hendelse}: the record is so`, async () =>
            claim((await ask(`/api/bedrift/${orgnr}`)).body, isSo),
          ),
        ),
      )

    it('the register tells of it, and the record is so, until all is as it was', async () => {
      for (const [hendelse, orgnr] of happenings) expect((await press(hendelse, orgnr)).status).toBe(303)
      await areSo((body, isSo) => isSo(body))
      for (const [, orgnr] of happenings) await press('somFor', orgnr)
      await areSo((body, isSo) => !isSo(body))
    })

    it('P136: one press, and a bankruptcy has come as mail, as webhook and in the printed feed', async () => {
      expect((await press('konkurs', SAMPLE.associate)).status).toBe(303)
      const isIt = (text: string) => text.includes(SAMPLE.associate) && text.includes('foretak.konkurs.apnet')
      const hooks = () => around.receiver.arrived.filter(({ body }) => isIt(body))
      await eventually('the webhook has come', () => hooks().length > 0)
      expect(hooks().map(({ isSigned }) => isSigned)).toEqual([true])
      const [id] = hooks().map((hook) => hook.id)

      const [line = ''] = demo.screen.filter((each) => /^curl .*endringer/.test(each))
      const [, header = '', url = ''] = /-H '([^']+)' '(\S+)'$/.exec(line) ?? []
      const [name = '', value = ''] = header.split(': ')
      const feed = (await (await fetch(url, { headers: { [name]: value } })).json()) as Body
      const told = feed.endringer.filter((each: Body) => isIt(JSON.stringify(each)))
      expect(told.map((each: Body) => each.id)).toEqual([id])

      await eventually('the page shows all of it', async () => {
        // The newest first.
        const [row = ''] = /<tr><td>.*?<\/tr>/s.exec(await shown()) ?? []
        return row.includes('/demo/mottak') && row.includes('/demo/post')
      })
      const mails = around.mail.mails.filter(({ envelope }) => envelope.to === 'demo@example.com')
      expect(mails.some(({ content }) => /konkurs/i.test(content.text ?? ''))).toBe(true)
      const arrivals = await (await fetch(`${demo.address}/demo/mottak`)).text()
      expect(arrivals).toContain(`id ${id} · forsøk 1 · signatur: riktig · svarte 200`)
    })

    it('P136: what the demo’s key watches is on its list by name, though nobody has given it one', async () => {
      const person = formBrowser(demo.address)
      await person.send('/logg-inn', { nokkel: demo.token, til: '/overvaking' })
      await eventually('the index knows them', async () => {
        const { text } = await person.get('/overvaking')
        return around.happenings.choices.every(({ navn }) => text.includes(`>${navn}</a>`))
      })
    })

    it('P136: by hand, with a key just bought: watched on its page, and its bankruptcy is in the mail, at the endpoint and on the list', async () => {
      const person = formBrowser(demo.address)
      const epost = 'kjoper@example.com'
      const company = `/foretak/${SAMPLE.family}`
      const steps = (await person.get('/demo/hendelser')).text
      const ways = [
        '/kjop',
        '/logg-inn',
        '/endepunkter',
        '/overvaking',
        '/demo/post',
        '/demo/mottak',
        company,
      ]
      for (const way of ways) expect(steps).toContain(`href="${way}"`)

      const confirm = await person.send('/kjop', { epost })
      const form = { skjema: person.token(confirm.text), epost, vilkaar: 'ja' }
      expect((await person.send('/kjop/betal', form, '/kjop')).status).toBe(303)
      const { reference, returnUrl } = around.vipps.payments.all().at(-1) ?? { reference: '', returnUrl: '' }
      around.vipps.approve(reference)
      let key = ''
      await eventually('the key has come', async () => {
        await person.get(new URL(returnUrl).pathname)
        key = around.mail.mails.filter(({ envelope }) => envelope.to === epost).map(keyIn)[0] ?? ''
        return key !== ''
      })

      expect((await person.get(company)).text).not.toContain('/overvaking/')
      const inside = await person.send('/logg-inn', { nokkel: key, til: company })
      expect([inside.status, inside.headers.get('location')]).toEqual([303, company])
      const before = (await person.get(company)).text
      for (const said of ['oppdiktet', 'Du er inne med nøkkelen', '<summary>Overvåk</summary>'])
        expect(before).toContain(said)
      expect(before).not.toMatch(BANKRUPT)
      const wish = { gjor: 'overvak', fra: 'foretak', epost: 'straks' }
      const watched = await person.send(`/overvaking/${SAMPLE.family}`, wish, company)
      expect([watched.status, watched.headers.get('location')]).toEqual([303, company])
      expect((await person.get(company)).text).toContain('value="straks" selected')
      const adresse = /<code>(https?:[^<]+)<\/code> som/.exec(steps)?.[1] ?? ''
      expect((await person.send('/endepunkter', { adresse, typer: '' })).text).toContain('whsec_')

      expect((await press('konkurs', SAMPLE.family)).status).toBe(303)
      await eventually('it has come as mail and as webhook, and is on both pages', async () => {
        const mailed = around.mail.mails.some(
          ({ envelope, content }) => envelope.to === epost && /konkurs er åpnet/i.test(content.text ?? ''),
        )
        const sent = around.receiver.arrived.some(
          ({ path, body }) => adresse.endsWith(path) && body.includes('foretak.konkurs.apnet'),
        )
        const list = (await person.get('/overvaking')).text
        const isListed = list.includes('Konkurs er åpnet') && list.includes(`href="${company}"`)
        return mailed && sent && isListed && BANKRUPT.test((await person.get(company)).text)
      })
      expect((await person.get('/demo/post')).text).toContain(`Til ${epost}`)
      // Whoever is not in is shown the sample as ever.
      expect(await (await fetch(demo.address + company)).text()).not.toMatch(BANKRUPT)
    })

    it('a receiver that fails as it is told to is sent the same again, under the same id', async () => {
      const answer = (svar: string) =>
        fetch(`${demo.address}/demo/mottak`, { method: 'POST', body: new URLSearchParams({ svar }) })
      await answer('500')
      await press('adresse', SAMPLE.associate)
      const own = () =>
        around.receiver.arrived.filter(
          ({ body }) => body.includes(SAMPLE.associate) && body.includes('foretak.adresse.endret'),
        )
      await eventually('it has been refused', () => own().length === 1)
      await answer('200')
      await eventually('it has been taken', () => own().length === 2)
      expect(new Set(own().map(({ id }) => id)).size).toBe(1)
      const arrivals = await (await fetch(`${demo.address}/demo/mottak`)).text()
      expect(arrivals).toContain('forsøk 2 · signatur: riktig · svarte 200')
    })

    it('what is no company here, or nothing that can happen, leaves all as it is', async () => {
      const before = await shown()
      await press('konkurs', SAMPLE.seller)
      await press('jordskjelv')
      await fetch(`${demo.address}/demo/hendelser`, { method: 'POST', redirect: 'manual' })
      expect(await shown()).toBe(before)
      const foreign = { origin: 'https://elsewhere.example' }
      expect(
        (await fetch(`${demo.address}/demo/hendelser`, { method: 'POST', headers: foreign })).status,
      ).toBe(403)
    })
  })

  it('a demo that is started again imports nothing again', async () => {
    expect(await fillDemo({ storage: database, clock: systemClock })).toBe(0)
  })

  it('`nokkel utsted` typed beside it makes a key that works there, and mails where the demo is read', async () => {
    const beside = await besideDemo({ DATA_DIR: folder })
    expect(beside?.said).toBe(`Gjelder demoen på ${demo.address}.`)
    const variables = { ...beside?.variables, DATABASE_URL: database.url }
    const issue = (...more: string[]) =>
      runCommand(
        variables,
        ['nokkel', 'utsted', '--hvorfor', 'en prøve', '--epost', 'beside@example.com', ...more],
        { isAlone: false },
      )
    const { nokkel } = JSON.parse((await issue('--vis', '--json')).out)
    expect((await ask('/api/bedrift/status', nokkel)).status).toBe(200)
    expect((await issue()).code).toBe(0)
    const mailed = around.mail.mails.filter(({ envelope }) => envelope.to === 'beside@example.com').map(keyIn)
    expect((await ask('/api/bedrift/status', mailed[0] ?? '')).status).toBe(200)
  })

  it('a service on the usual folder goes before a demo in it, and the line says that the demo has another database', async () => {
    const data = join(folder, 'data')
    mkdirSync(join(data, 'postgres', 'data'), { recursive: true })
    mkdirSync(join(data, 'demo'))
    const takeBack = noteDemo(join(data, 'demo'), { address: 'http://127.0.0.1:1', variables: {} })
    expect((await besideDemo({}, data))?.said).toBe('Gjelder demoen på http://127.0.0.1:1.')
    const note = join(data, 'postgres', 'data', 'postmaster.pid')
    writeFileSync(note, `${process.pid}\n${data}\n0\n5432\n`)
    const beside = await besideDemo({}, data)
    expect(beside?.variables).toEqual({})
    expect(beside?.said).toMatch(/^Gjelder tjenesten på .* har en annen database: DATA_DIR=\S+demo$/)
    takeBack()
    expect(await besideDemo({}, data)).toBeNull()
  })

  it.runIf(process.getuid?.() === 0)(
    'P172: attack: word of a demo that another user has left, with a database of theirs in it, is not heard (needs root)',
    async () => {
      const theirs = join(folder, 'deres')
      mkdirSync(theirs)
      noteDemo(theirs, {
        address: 'http://127.0.0.1:1',
        variables: { DATABASE_URL: 'postgres://127.0.0.1:1' },
      })
      expect(await besideDemo({ DATA_DIR: theirs })).not.toBeNull()
      chownSync(join(theirs, 'demo.json'), 65_534, 65_534)
      expect(await besideDemo({ DATA_DIR: theirs })).toBeNull()
    },
  )

  it('a command that is told of a database, and one beside no demo, are left alone', async () => {
    expect(await besideDemo({ DATABASE_URL: database.url, DATA_DIR: folder })).toBeNull()
    expect(await besideDemo({}, join(folder, 'nowhere'))).toBeNull()
  })
})

/** As a company's page says it of its state. */
const BANKRUPT = />Konkurs</

/**
 * Without when it was fetched, and as of when where that is the same; without which host was asked, and by which installation's
 * secret people have their ids.
 */
function withoutFetching(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutFetching(each))
  if (typeof value !== 'object' || value === null) {
    if (typeof value !== 'string') return value
    if (name === 'adresse') return value.replace(/^https?:\/\/[^/]+/, '')
    return ['hentet', 'personId', 'aksjonaerId'].includes(name) ? name : value
  }
  const { gjelderPer, ...rest } = value as Record<string, unknown>
  const isMoment = typeof gjelderPer === 'string' && gjelderPer.includes('T')
  return Object.fromEntries(
    Object.entries({ ...rest, ...(gjelderPer === undefined || isMoment ? {} : { gjelderPer }) }).map(
      ([key, part]) => [key, withoutFetching(part, key)],
    ),
  )
}

/** Nine digits with a right check digit that begin as companies' numbers do, however they are spaced. */
function numbersIn(text: string): string[] {
  return [...text.matchAll(/(?<![\d\w.-])([89]\d{2}[ \u00a0]?\d{3}[ \u00a0]?\d{3})(?![\d]|\.\d)/g)]
    .map(([, number = '']) => number.replace(/\D/g, ''))
    .filter(isOrganisasjonsnummer)
}
