import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SAMPLE, sampleAnswers } from '#test/fixtures/samples/index.ts'
import { AN_ORDER, putAnOrder } from '#test/support/an-order.ts'
import { axeFaults, LAYOUT_RULES, openBrowser, openPage, picture } from '#test/support/browser.ts'
import { logIn, type TestOperator } from '#test/support/operators.ts'
import { type RegisterStandIn, startRegisterStandIn } from '#test/support/register-stand-in.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const browser = await openBrowser()
/** What the board's own program does, of what axe finds least of: its logo, and that it has no heading of the first level. */
const isOurs = (fault: string) => !/: (image-redundant-alt|page-has-heading-one):/.test(fault)
type Role = 'lese' | 'skrive'

describe.skipIf(browser === null)("the operators' side in a real browser", () => {
  let register: RegisterStandIn
  let service: TestService
  let operators: Record<Role, TestOperator>

  beforeAll(async () => {
    register = await startRegisterStandIn({ answers: sampleAnswers() })
    service = await startTestService(register, { isLoaded: true })
    await service.get(`/api/bedrift/${SAMPLE.healthy}`)
    const { storage, opsAddress } = service
    operators = {
      lese: await logIn(storage, opsAddress, { navn: 'Leser', rolle: 'lese' }),
      skrive: await logIn(storage, opsAddress, { navn: 'Skriver', rolle: 'skrive' }),
    }
    await putAnOrder(storage.database)
    // Something in the trail, and something stale.
    await operators.skrive.post('/foretak/foreld', { orgnr: SAMPLE.healthy, hvorfor: 'kunden spør' })
  })
  afterAll(async () => {
    await browser?.close()
    await service.close()
    await register.close()
  })

  async function open(): Promise<{ page: Page; complaints: string[] }> {
    const page = await openPage(browser, {
      viewport: { width: 1280, height: 900 },
      baseURL: service.opsAddress,
    })
    const complaints: string[] = []
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('console', (message) => {
      // That a page was refused is what some of them are here for.
      const isRefusal = /status of 40[034]/.test(message.text())
      if (message.type() === 'error' && !isRefusal) complaints.push(message.text())
    })
    return { page, complaints }
  }

  async function logInAs(role: Role): Promise<{ page: Page; complaints: string[] }> {
    const opened = await open()
    const { page } = opened
    await page.goto('/')
    await page.getByLabel('Operatørtoken').fill(operators[role].token)
    await page.getByRole('button', { name: 'Logg inn' }).click()
    await page.waitForURL(/\/$/)
    return opened
  }

  /** Every page there is, with something on it and without, by the name of its picture. */
  const pages = (role: Role): Record<string, string> => {
    const [, , id = ''] = service.token.split('_')
    return {
      oversikt: '/',
      levetider: '/levetider',
      forslag: '/levetider?navn=regnskap.fersk&verdi=14+d',
      budsjett: '/levetider?navn=kunngjoringer.kall&verdi=0,5',
      'levetider-avvist': '/levetider?navn=regnskap.fersk&verdi=lenge',
      'foretak-tom': '/foretak',
      foretak: `/foretak?orgnr=${SAMPLE.healthy}`,
      'foretak-avvist': '/foretak?orgnr=123',
      'nokler-tom': '/nokler',
      nokler: `/nokler?id=${id}`,
      'nokler-ukjent': '/nokler?id=xxxxxxxxxxxx',
      kanari: '/kanari',
      sok: '/sok',
      spor: '/spor',
      ordre: '/ordre',
      'en-ordre': `/ordre/${AN_ORDER}`,
      epost: '/epost',
      'en-epost': '/epost/1',
      'finnes-ikke': '/finnes-ikke',
      inn: '/inn',
      ...(role === 'lese' ? { 'bare-lese': '/jobber/styr/' } : {}),
    }
  }

  /** On a phone and on a desk. A width hides nothing here: what it changes is where things stand. */
  async function look(page: Page, name: string): Promise<string[]> {
    const faults: string[] = []
    for (const [width, rules] of [
      [390, undefined],
      [1280, LAYOUT_RULES],
    ] as const) {
      await page.setViewportSize({ width, height: 900 })
      await picture(page, `drift-${name}-${width}`)
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
      expect(overflow, `${name} is wider than the screen of ${width}`).toBeLessThanOrEqual(0)
      faults.push(...(await axeFaults(page, rules)).map((fault) => `at ${width}: ${fault}`))
    }
    return faults
  }

  describe.each(['lese', 'skrive'] as const)('for who may %s', (role) => {
    it('every page can be used at 390 and at 1280 pixels, without a fault that axe finds', async () => {
      const { page, complaints } = await logInAs(role)
      for (const [name, path] of Object.entries(pages(role))) {
        await page.goto(path)
        expect(await look(page, `${name}-${role}`), name).toEqual([])
        const hasForms = (await page.getByLabel('Hvorfor').count()) > 0
        if (name === 'foretak' || name === 'nokler' || name === 'budsjett')
          expect(hasForms, name).toBe(role === 'skrive')
      }
      expect(complaints).toEqual([])
      await page.context().close()
    })

    it('the queues and their jobs can be seen at 390 and at 1280 pixels', async () => {
      const { page, complaints } = await logInAs(role)
      await page.goto('/jobber')
      await page.getByText('bedriftsoppslag-regnskap').first().waitFor()
      expect((await look(page, `jobber-${role}`)).filter(isOurs)).toEqual([])
      const board = role === 'skrive' ? '/jobber/styr' : '/jobber/se'
      await page.goto(`${board}/queue/bedriftsoppslag-regnskap`)
      await page.getByText('bedriftsoppslag-regnskap').first().waitFor()
      await page.getByText('Loading').waitFor({ state: 'hidden' })
      expect((await look(page, `jobber-ko-${role}`)).filter(isOurs)).toEqual([])
      await page.getByRole('link', { name: 'Oversikt' }).click()
      await page.getByRole('heading', { level: 1, name: 'Oversikt' }).waitFor()
      expect(complaints).toEqual([])
      await page.context().close()
    })
  })

  it('whoever is not in sees the login at 390 and at 1280 pixels, wherever they go', async () => {
    const { page, complaints } = await open()
    for (const path of ['/', '/foretak', '/jobber', '/jobber/se/']) {
      await page.goto(path)
      expect(new URL(page.url()).pathname, path).toBe('/inn')
    }
    expect(await look(page, 'inn')).toEqual([])
    await page.getByLabel('Operatørtoken').fill('bodrift_feil')
    await page.getByRole('button', { name: 'Logg inn' }).click()
    await page.getByText('ikke et gyldig operatørtoken').waitFor()
    expect(await look(page, 'inn-avvist')).toEqual([])
    expect(complaints.filter((complaint) => !complaint.includes('401'))).toEqual([])
    await page.context().close()
  })

  it('an operator tunes, and sees the overview change without loading it again', async () => {
    const { page } = await logInAs('skrive')
    await page.goto('/levetider')
    await page.getByLabel('Hva', { exact: true }).selectOption('sok.fersk')
    await page.getByLabel('Ny verdi').fill('2 t')
    await page.getByRole('button', { name: 'Vis hva det ville kostet' }).click()
    await page.locator('.forslag').getByLabel('Hvorfor').fill('søket er dyrt')
    await page.getByRole('button', { name: 'Lagre' }).click()
    await page.getByText('søket er dyrt').first().waitFor()
    await page.goto('/')
    await page.getByText('1 verdier er stilt').waitFor()
    await operators.skrive.post('/levetider/rull-tilbake', { base: '1', hvorfor: 'over' })
    await page.getByText('Levetidene er som programmet har dem').waitFor({ timeout: 15_000 })
    await page.context().close()
  })
})
