import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addSourceQuarters } from '#src/storage/source-quarters.ts'
import { SAMPLE, sampleAnswers } from '../fixtures/samples/index.ts'
import { axeFaults, openBrowser, picture } from '../support/browser.ts'
import { createTestClock, HOUR_MS } from '../support/clock.ts'
import { eventually } from '../support/eventually.ts'
import { logIn } from '../support/operators.ts'
import { startRedis, type TestRedis } from '../support/redis.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { quarterAgo } from '../support/source-days.ts'

const browser = await openBrowser()

/** Ninety days, as they are with some traffic: two incidents, bad days, and days on which nobody asked. */
const history = ['enhet', 'roller', 'regnskap'].flatMap((kilde) =>
  Array.from({ length: 90 }, (_, day) =>
    day % 7 === 3 ? [] : [quarterAgo(kilde, day * 24 + 3, { svar: 300, feil: day % 11 === 5 ? 20 : 0 })],
  )
    .flat()
    .concat(
      kilde === 'regnskap'
        ? [quarterAgo(kilde, 30, { feil: 8 }), quarterAgo(kilde, 500, { svar: 1, feil: 80 })]
        : [],
    ),
)

let register: RegisterStandIn
let redis: TestRedis
let service: TestService
beforeAll(async () => {
  ;[register, redis] = await Promise.all([startRegisterStandIn({ answers: sampleAnswers() }), startRedis()])
  service = await startTestService(register, {
    isLoaded: true,
    workers: false,
    variables: { CACHE_REDIS_URL: redis.url },
    seed: ({ database }) => addSourceQuarters(database, history),
  })
})
afterAll(async () => {
  await browser?.close()
  await service.close()
  await redis.close()
  await register.close()
})

describe('a process with a clock that is wrong', () => {
  it('P56: says by how much, to Prometheus and to operators', async () => {
    const clock = createTestClock()
    clock.advance(3 * 24 * HOUR_MS)
    const wrong = await startTestService(register, { isLoaded: true, workers: false, clock })
    try {
      const metrics = await (await fetch(`${wrong.opsAddress}/metrics`)).text()
      const [, ahead] = /^bedriftsoppslag_clock_ahead_seconds (\S+)$/m.exec(metrics) ?? []
      expect(Math.round(Number(ahead) / 3600)).toBe(72)
      const operator = await logIn(wrong.storage, wrong.opsAddress, { navn: 'Leser', rolle: 'lese' })
      const { galt } = JSON.parse((await operator.get('/oversikt.json')).text)
      expect(galt).toContainEqual(
        expect.stringMatching(/^Klokken til front \w+ går 2[56]\d{4} s foran databasens\.$/),
      )
    } finally {
      await wrong.close()
    }
  })
})

describe('the public status', () => {
  it('P54: a process that began with Redis there says that it is in use', async () => {
    const metrics = async () => (await fetch(`${service.opsAddress}/metrics`)).text()
    await eventually('it is', async () => (await metrics()).includes('bedriftsoppslag_cache_redis_usable 1'))
  })

  it('P39: is there for anybody, also while PostgreSQL and Redis are away', async () => {
    await service.get(`/api/bedrift/${SAMPLE.healthy}`)
    const before = await service.getBare('/status.json')
    const [incident] = before.body.hendelser
    expect(before.body.kilder).toContainEqual(
      expect.objectContaining({ kilde: 'roller', drift: 'i_drift', sistSvar: expect.any(String) }),
    )
    await redis.close()
    await service.storage.database.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    )
    const after = await service.getBare('/status.json')
    expect([after.status, after.body.kilder.length]).toEqual([200, before.body.kilder.length])
    const page = await service.getBare('/status')
    expect(page.text).toContain('id="kilder"')
    expect(page.text).toContain(`id="${incident.id}"`)
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(after.text + page.text).not.toContain(SAMPLE.healthy)
  })

  // After the test above, so that it is seen while PostgreSQL and Redis are away.
  describe.skipIf(browser === null)('in a real browser', () => {
    async function openPage(options: { width: number; javaScriptEnabled?: boolean }) {
      if (browser === null) throw new Error('no browser')
      const { width, ...rest } = options
      const viewport = { width, height: 844 }
      const context = await browser.newContext({ viewport, baseURL: service.address, ...rest })
      return context.newPage()
    }

    it.each([390, 1280])(
      'can be read at %s pixels, in both languages, without a fault that axe finds',
      async (width) => {
        const page = await openPage({ width })
        for (const language of ['nb', 'en']) {
          await page.goto(`/status?lang=${language}`)
          await picture(page, `status-${language}-${width}`)
          expect(await axeFaults(page), language).toEqual([])
          const wider =
            '[document.documentElement, ...document.querySelectorAll(".rull")].some((each) => each.scrollWidth > each.clientWidth)'
          expect(await page.evaluate(wider), `${language} is wider than the screen`).toBe(false)
        }
        await page.context().close()
      },
    )

    it('P114: has its incidents as a feed a reader finds from the page and can read, in both languages', async () => {
      const page = await openPage({ width: 390 })
      for (const [language, said] of [
        ['nb', 'svarer igjen'],
        ['en', 'answers again'],
      ] as const) {
        await page.goto(`/status?lang=${language}`)
        const read = (await page.evaluate(`(async () => {
          const { href } = document.querySelector('link[type="application/atom+xml"]')
          const answer = await fetch(href)
          const feed = new DOMParser().parseFromString(await answer.text(), 'application/xml')
          return {
            type: answer.headers.get('content-type'),
            root: feed.documentElement.namespaceURI + ' ' + feed.documentElement.nodeName,
            language: feed.documentElement.getAttribute('xml:lang'),
            titles: [...feed.querySelectorAll('entry > title')].map((each) => each.textContent),
            links: [...feed.querySelectorAll('entry > link')].map((each) => new URL(each.getAttribute('href')).hash),
          }
        })()`)) as { type: string; root: string; language: string; titles: string[]; links: string[] }
        expect(read).toMatchObject({
          type: 'application/atom+xml; charset=utf-8',
          root: 'http://www.w3.org/2005/Atom feed',
          language,
        })
        expect(read.titles).toHaveLength(2)
        expect(read.titles.at(0)).toContain(said)
        for (const link of read.links) expect(await page.locator(link).count()).toBe(1)
      }
      await page.context().close()
    })

    it('is found from the front page, and read without script', async () => {
      const page = await openPage({ width: 390, javaScriptEnabled: false })
      await page.goto('/?lang=nb')
      await page.getByRole('link', { name: 'Driftsstatus' }).click()
      await page.getByRole('heading', { name: 'Driftsstatus', level: 1 }).waitFor()
      await page.getByText('Tjenesten er oppe').waitFor()
      await page.context().close()
    })
  })
})
