import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SAMPLE } from '#test/fixtures/samples/index.ts'
import { axeFaults, LAYOUT_RULES, openBrowser } from '#test/support/browser.ts'
import { eventually } from '#test/support/eventually.ts'
import { type LookUp, REAL, startLookUp } from '#test/support/look-up.ts'
import { faultsAt, lookupPages, TWICE_AS_LARGE } from '#test/support/looked-over.ts'
import type { TestService } from '#test/support/service.ts'

const browser = await openBrowser()
const BYTES_MAX = 60_000
/** What people come to first, and the longest of the documentation; the others are weighed alone. */
const ON_A_SLOW_LINE = {
  forside: '/',
  oppslag: '/oppslag',
  foretak: `/foretak/${SAMPLE.healthy}`,
  dokumentasjon: '/dokumentasjon/kall/hentBedrift',
}
/** 400 ms there and back, 400 kbit/s. */
const SLOW_3G = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 }
/** The others are looked over with all there is in test/heavy; how one looks a company up is in short/. */
const FEW = 5

describe.skipIf(browser === null)('P88: what whoever can not program looks at, in a real browser', () => {
  let lookUp: LookUp
  let service: TestService
  let open: LookUp['open']

  beforeAll(async () => {
    lookUp = await startLookUp(browser)
    ;({ service, open } = lookUp)
  })
  afterAll(() => lookUp.close())

  async function logIn(page: Page): Promise<void> {
    await page.goto(`/foretak/${REAL}`)
    await page.getByLabel('Nøkkel', { exact: true }).fill(service.token)
    await page.getByRole('button', { name: 'Logg inn' }).click()
    await page.getByRole('heading', { level: 1, name: 'TINDEVÅG SJØMAT AS' }).waitFor()
  }

  it('P133: whoever has the bought key makes another and ends it, without JavaScript, on a phone too', async () => {
    const page = await open({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } })
    const isInReach = async () =>
      expect(
        Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth')),
      ).toBeLessThanOrEqual(0)
    await page.goto('/nokler')
    await page.getByLabel('Nøkkel', { exact: true }).fill(service.token)
    await page.getByRole('button', { name: 'Logg inn' }).click()
    await page.getByRole('heading', { level: 1, name: 'Nøklene dine' }).waitFor()
    await isInReach()
    await page.getByLabel('Navn på den nye nøkkelen').fill('Regnskapssystemet')
    await page.getByRole('button', { name: 'Lag nøkkelen' }).click()
    await page.getByText('Den vises bare denne ene gangen').waitFor()
    await isInReach()
    await page.getByRole('link', { name: 'Til nøklene' }).click()
    await page.getByRole('link', { name: 'Endre Regnskapssystemet' }).click()
    await isInReach()
    await page.getByRole('button', { name: 'Avslutt nøkkelen' }).click()
    await page.getByRole('heading', { name: 'Avsluttet' }).waitFor()
    await page.context().close()

    const read = await open()
    await read.goto('/nokler')
    await read.getByLabel('Nøkkel', { exact: true }).fill(service.token)
    await read.getByRole('button', { name: 'Logg inn' }).click()
    await read.getByRole('heading', { level: 1, name: 'Nøklene dine' }).waitFor()
    expect(await axeFaults(read)).toEqual([])
    await read.getByLabel('Navn på den nye nøkkelen').fill('CRM')
    await read.getByRole('button', { name: 'Lag nøkkelen' }).click()
    await read.getByText('Den vises bare denne ene gangen').waitFor()
    expect(await axeFaults(read)).toEqual([])
    await read.getByRole('link', { name: 'Til nøklene' }).click()
    await read.getByRole('link', { name: 'Endre CRM' }).click()
    expect(await axeFaults(read)).toEqual([])
    await read.context().close()
  })

  it('P84: a session ends in the browser when the key is revoked, and the key is nowhere in it', async () => {
    const page = await open()
    await logIn(page)
    expect(await page.content()).not.toContain(service.token)
    expect(JSON.stringify(await page.context().cookies())).not.toContain(service.token)
    expect(await page.evaluate('document.cookie')).toBe('')
    await service.storage.database.query(`update api_nokkel set tilbakekalt_at = now()`)
    await eventually('it is told', async () => {
      await page.goto(`/foretak/${REAL}`)
      return (await page.getByText('er et virkelig foretak').count()) > 0
    })
    await service.storage.database.query(`update api_nokkel set tilbakekalt_at = null`)
    await page.context().close()
  })

  it('the call on the front page answers as it stands', async () => {
    const page = await open()
    await page.goto('/')
    const shown = (await page.locator('.kode code').textContent()) ?? ''
    const [, address = '', header = ''] = /^curl (\S+) \\\n {2}-H 'Authorization: (.+)'/.exec(shown) ?? []
    const answer = await fetch(address, { headers: { authorization: header } })
    expect(await answer.json()).toMatchObject({ navn: 'TINDEVÅG SJØMAT AS', komplett: true })
    await page.context().close()
  })

  it('is printed on two pages', async () => {
    const page = await open()
    await page.goto(`/foretak/${SAMPLE.healthy}`)
    const pdf = await page.pdf({ preferCSSPageSize: true })
    expect(pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length).toBe(2)
    await page.context().close()
  })

  it.each(Object.entries(lookupPages).slice(0, FEW))(
    '%s is whole on a phone and a desk, light and dark, twice as large',
    async (name, path) => {
      const page = await open()
      await page.goto(path)
      for (const [width, colorScheme, rules] of [
        [390, 'light', undefined],
        [390, 'dark', LAYOUT_RULES],
        [1280, 'light', LAYOUT_RULES],
        [TWICE_AS_LARGE, 'light', LAYOUT_RULES],
      ] as const)
        expect(await faultsAt(page, name, { width, colorScheme, rules })).toEqual([])
      await page.context().close()
    },
  )

  it('P115: on a slow line no page takes more than 60 kB before pictures, all there is counted', async () => {
    const weights: Record<string, number> = {}
    const pages = { ...ON_A_SLOW_LINE, ...lookupPages }
    for (const [name, path] of Object.entries(pages)) {
      const isSlow = Object.values(ON_A_SLOW_LINE).includes(path)
      const { bytes, shownMs, usableMs } = await loaded(path, isSlow)
      weights[name] = bytes
      if (isSlow)
        process.stdout.write(`${name}: ${bytes} B, shown after ${shownMs} ms, usable ${usableMs} ms\n`)
    }
    expect(Math.min(...Object.values(weights))).toBeGreaterThan(10_000)
    expect(Object.entries(weights).filter(([, bytes]) => bytes > BYTES_MAX)).toEqual([])
  })

  /** What Chromium takes from the line, headers and all, for a page nothing of which it has. */
  async function loaded(path: string, isSlow: boolean) {
    const page = await open({ viewport: { width: 390, height: 844 } })
    const line = await page.context().newCDPSession(page)
    await line.send('Network.enable')
    if (isSlow) await line.send('Network.emulateNetworkConditions', SLOW_3G)
    let bytes = 0
    line.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength
    })
    await page.goto(path, { waitUntil: 'load' })
    const times = (await page.evaluate(`new Promise((resolve) =>
        new PerformanceObserver((painted) => resolve({
          shownMs: Math.round(painted.getEntries()[0].startTime),
          usableMs: Math.round(performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd),
        })).observe({ type: 'paint', buffered: true })
      )`)) as { shownMs: number; usableMs: number }
    await page.context().close()
    return { bytes, ...times }
  }
})
