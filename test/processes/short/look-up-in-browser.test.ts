import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SAMPLE } from '#test/fixtures/samples/index.ts'
import { axeFaults, openBrowser, picture } from '#test/support/browser.ts'
import { type LookUp, REAL, startLookUp } from '#test/support/look-up.ts'
import type { TestService } from '#test/support/service.ts'

const browser = await openBrowser()

describe.skipIf(browser === null)(
  'P88: whoever can not program looks a company up, in a real browser',
  () => {
    let lookUp: LookUp
    let service: TestService
    let open: LookUp['open']

    beforeAll(async () => {
      lookUp = await startLookUp(browser)
      ;({ service, open } = lookUp)
    })
    afterAll(() => lookUp.close())

    it('by a misspelt name, with the keyboard alone, and takes it home as a sheet', async () => {
      const page = await open()
      await page.goto('/')
      const field = page.getByRole('combobox')
      await field.focus()
      await page.keyboard.type('tindevag sjomt')
      // What was proposed for its beginning may be there first.
      await page.locator('#forslag-0-0', { hasText: 'TINDEVÅG SJØMAT AS' }).waitFor()
      await page.getByText(/forslag\. Velg med piltastene/).waitFor()
      await page.keyboard.press('ArrowDown')
      expect(await field.getAttribute('aria-activedescendant')).toBe('forslag-0-0')
      expect(await page.getByRole('option', { selected: true }).textContent()).toContain('TINDEVÅG SJØMAT AS')
      await picture(page, 'oppslag-forslag-1280')
      expect(await axeFaults(page)).toEqual([])
      await page.keyboard.press('Escape')
      expect(await field.getAttribute('aria-expanded')).toBe('false')
      await page.keyboard.press('ArrowDown')
      await page.getByRole('option').first().waitFor()
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await page.waitForURL(`**/foretak/${SAMPLE.healthy}`)
      await page.getByText('Styrets leder alene. To styremedlemmer i fellesskap.').waitFor()
      const saved = page.waitForEvent('download')
      await page.getByRole('link', { name: 'Excel (XLSX)' }).press('Enter')
      expect((await saved).suggestedFilename()).toBe(`foretak-${SAMPLE.healthy}.xlsx`)
      // On through the picture of who owns it.
      await page.locator('.eierbilde a').first().focus()
      await page.keyboard.press('Enter')
      await page.waitForURL((url) => url.pathname !== `/foretak/${SAMPLE.healthy}`)
      await page.context().close()
    })

    it('without JavaScript, in English, a list and a real company as well', async () => {
      const page = await open({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } })
      await page.goto('/?lang=en')
      await page.getByLabel('Name or organisation number').fill('tindevag sjomt')
      await page.getByRole('button', { name: 'Look up' }).click()
      await page.getByRole('link', { name: 'TINDEVÅG SJØMAT AS', exact: true }).click()
      await page.getByRole('heading', { name: 'Shareholders year by year' }).waitFor()
      await page.getByRole('link', { name: 'As text' }).click()
      await page.getByText('TINDEVÅG SJØMAT AS').first().waitFor()

      await page.goto(`/foretak/${REAL}?lang=en`)
      await page.getByLabel('Key', { exact: true }).fill(service.token)
      await page.getByRole('button', { name: 'Log in' }).click()
      await page.getByRole('heading', { level: 1, name: 'TINDEVÅG SJØMAT AS' }).waitFor()
      expect(page.url()).toBe(`${service.address}/foretak/${REAL}?lang=en`)
      await page.goto('/liste?lang=en')
      await page.getByLabel('One number or name on each line').fill(`${REAL}\nTINDEVÅG`)
      await page.locator('main').getByRole('button', { name: 'Look up' }).click()
      await page.getByText(/^2 lines: /).waitFor()
      await page.goto('/logg-ut?lang=en')
      await page.getByRole('button', { name: 'Log out' }).click()
      await page.goto(`/foretak/${REAL}?lang=en`)
      await page.getByText('is a real company, and a key is needed').waitFor()
      await page.context().close()
    })
  },
)
