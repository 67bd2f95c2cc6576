import { mkdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SAMPLE, sampleAnswers } from '#test/fixtures/samples/index.ts'
import { logIn, type TestOperator } from '#test/support/operators.ts'
import { type RegisterStandIn, startRegisterStandIn } from '#test/support/register-stand-in.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const RESULTS = new URL('../../results/', import.meta.url)
const axe = createRequire(import.meta.url).resolve('axe-core')

let register: RegisterStandIn
let service: TestService
let browser: Browser
let operators: Record<'lese' | 'skrive', TestOperator>
beforeAll(async () => {
  await mkdir(RESULTS, { recursive: true })
  register = await startRegisterStandIn({ answers: sampleAnswers() })
  service = await startTestService(register, { isLoaded: true })
  await service.get(`/api/bedrift/${SAMPLE.healthy}`)
  const { storage, opsAddress } = service
  operators = {
    lese: await logIn(storage, opsAddress, { navn: 'Leser', rolle: 'lese' }),
    skrive: await logIn(storage, opsAddress, { navn: 'Skriver', rolle: 'skrive' }),
  }
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
}, 60_000)
afterAll(async () => {
  await browser.close()
  await service.close()
  await register.close()
})

async function logInAs(
  role: 'lese' | 'skrive',
  width: number,
): Promise<{ page: Page; complaints: string[] }> {
  const context = await browser.newContext({ viewport: { width, height: 900 }, baseURL: service.opsAddress })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  await page.goto('/')
  await page.getByLabel('Operatørtoken').fill(operators[role].token)
  await page.getByRole('button', { name: 'Logg inn' }).click()
  await page.waitForURL(/\/$/)
  return { page, complaints }
}

/** Faults of weight in the page as it is. */
async function seriousFaults(page: Page): Promise<string[]> {
  await page.evaluate(await readFile(axe, 'utf8'))
  return page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: { run(): Promise<AxeResult> } }).axe.run()
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`)
  })
}
type AxeResult = { violations: { id: string; impact: string; nodes: { html: string }[] }[] }

const pages = () => {
  const [, , id = ''] = service.token.split('_')
  return {
    oversikt: '/',
    levetider: '/levetider?navn=regnskap.fersk&verdi=1209600',
    foretak: `/foretak?orgnr=${SAMPLE.healthy}`,
    nokler: `/nokler?id=${id}`,
    spor: '/spor',
  }
}

describe.each(['lese', 'skrive'] as const)("the operators' pages for who may %s", (role) => {
  it.each([390, 1280])(
    'can be used at %s pixels, without a serious fault',
    async (width) => {
      const { page, complaints } = await logInAs(role, width)
      for (const [name, path] of Object.entries(pages())) {
        await page.goto(path)
        await page.screenshot({
          path: `${RESULTS.pathname}drift-${name}-${role}-${width}.png`,
          fullPage: true,
        })
        expect(await seriousFaults(page), name).toEqual([])
        const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
        expect(overflow, `${name} is wider than the screen`).toBeLessThanOrEqual(0)
        const hasForms = (await page.getByLabel('Hvorfor').count()) > 0
        if (name === 'foretak' || name === 'nokler') expect(hasForms).toBe(role === 'skrive')
      }
      expect(complaints).toEqual([])
      await page.context().close()
    },
    60_000,
  )

  it('show the jobs', async () => {
    const { page } = await logInAs(role, 1280)
    await page.goto('/jobber')
    await page.getByText('bedriftsoppslag-regnskap').first().waitFor()
    await page.screenshot({ path: `${RESULTS.pathname}drift-jobber-${role}-1280.png` })
    await page.context().close()
  }, 60_000)
})

describe('an operator at the pages', () => {
  it('tunes, and sees the overview change without loading it again', async () => {
    const { page } = await logInAs('skrive', 1280)
    await page.goto('/levetider?navn=sok.fersk&verdi=7200')
    await page.locator('.forslag').getByLabel('Hvorfor').fill('søket er dyrt')
    await page.getByRole('button', { name: 'Lagre' }).click()
    await page.getByText('søket er dyrt').first().waitFor()
    await page.goto('/')
    await page.getByText('1 verdier er stilt').waitFor()
    await operators.skrive.post('/levetider/rull-tilbake', { base: '1', hvorfor: 'over' })
    await page.getByText('Levetidene er som programmet har dem').waitFor({ timeout: 15_000 })
    await page.context().close()
  }, 60_000)
})
