import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addSourceQuarters } from '#src/storage/source-quarters.ts'
import { SAMPLE, sampleAnswers } from '../fixtures/samples/index.ts'
import { axeFaults, openBrowser, openPage, picture } from '../support/browser.ts'
import { startRedis, type TestRedis } from '../support/redis.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { ninetyDays } from '../support/source-days.ts'

const browser = await openBrowser()

describe.skipIf(browser === null)(
  'the public status in a real browser, while PostgreSQL and Redis are away',
  () => {
    let register: RegisterStandIn
    let redis: TestRedis
    let service: TestService

    beforeAll(async () => {
      ;[register, redis] = await Promise.all([
        startRegisterStandIn({ answers: sampleAnswers() }),
        startRedis(),
      ])
      service = await startTestService(register, {
        isLoaded: true,
        workers: false,
        variables: { CACHE_REDIS_URL: redis.url },
        seed: ({ database }) => addSourceQuarters(database, ninetyDays()),
      })
      await service.get(`/api/bedrift/${SAMPLE.healthy}`)
      await service.getBare('/status.json')
      await redis.close()
      await service.storage.database.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
      )
    })
    afterAll(async () => {
      await browser?.close()
      await service.close()
      await redis.close()
      await register.close()
    })

    const open = ({ width, ...rest }: { width: number; javaScriptEnabled?: boolean }) =>
      openPage(browser, { viewport: { width, height: 844 }, baseURL: service.address, ...rest })

    it.each([390, 1280])(
      'can be read at %s pixels, in both languages, without a fault that axe finds',
      async (width) => {
        const page = await open({ width })
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
      const page = await open({ width: 390 })
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
      const page = await open({ width: 390, javaScriptEnabled: false })
      await page.goto('/?lang=nb')
      await page.getByRole('link', { name: 'Driftsstatus' }).click()
      await page.getByRole('heading', { name: 'Driftsstatus', level: 1 }).waitFor()
      await page.getByText('Tjenesten er oppe').waitFor()
      await page.context().close()
    })
  },
)
