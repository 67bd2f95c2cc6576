import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createStopLinks } from '#src/changes/mails/stop-links.ts'
import type { NewChange } from '#src/storage/changes/change-log.ts'
import { personSecret } from '#src/storage/person-secret.ts'
import { axeFaults, LAYOUT_RULES, openBrowser, openPage, picture } from '#test/support/browser.ts'
import { eventually } from '#test/support/eventually.ts'
import { answersWithCopies, inventNumbers } from '#test/support/invented-companies.ts'
import { faultsAt, TWICE_AS_LARGE } from '#test/support/looked-over.ts'
import { type RegisterStandIn, startRegisterStandIn } from '#test/support/register-stand-in.ts'
import { startTestService, type TestAnswer, type TestService } from '#test/support/service.ts'
import { startWebhookReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts'
import { changeOf, writeInLog } from '#test/support/written-changes.ts'

const browser = await openBrowser()
/** Companies the register knows, none of them the samples'. */
const numbers = inventNumbers(4)
const [A = '', B = '', C = '', UNWATCHED = ''] = numbers
/** As narrow as a page is read at without scrolling sideways (WCAG 2.2, 1.4.10). */
const NARROWEST = 320
/** So long a word, without a place to break it. */
const LONG = 'kundeforholdsnummerseriebetegnelse'.repeat(2)

describe.skipIf(browser === null)('P88: whoever writes no code watches companies, in a real browser', () => {
  let register: RegisterStandIn
  let receiver: WebhookReceiver
  let service: TestService

  beforeAll(async () => {
    register = await startRegisterStandIn({ answers: answersWithCopies(numbers) })
    receiver = await startWebhookReceiver()
    service = await startTestService(register, {
      isLoaded: true,
      variables: { WEBHOOK_HOSTS: receiver.origin },
    })
  })
  afterAll(async () => {
    await browser?.close()
    await service.close()
    await receiver.close()
    await register.close()
  })

  const open = (options: BrowserContextOptions = {}) =>
    openPage(browser, { baseURL: service.address, ...options })

  async function logIn(page: Page, path: string): Promise<void> {
    await page.goto(path)
    await page.getByLabel('Nøkkel', { exact: true }).fill(service.token)
    await page.getByRole('button', { name: 'Logg inn' }).click()
    // The address was this one before as well: it is the page that tells.
    await page.getByText('Du er inne med nøkkelen').waitFor()
    await page.waitForLoadState()
  }

  async function call(method: string, path: string, body: object = {}): Promise<TestAnswer> {
    const answer = await service.call(method, path, { body })
    expect(answer.status, path).toBeLessThan(300)
    return answer
  }

  const change = (...changes: NewChange[]) => writeInLog(service.storage.database, ...changes)

  /** The way out that the mails of this key have. */
  async function stopPath(): Promise<string> {
    const { database } = service.storage
    const [row] = await database.query<{ kjede: string }>('select kjede from api_nokkel limit 1')
    const links = createStopLinks({ secret: () => personSecret(database) })
    return `/varsling/avslutt/${await links.write(row?.kjede ?? '')}`
  }

  it('without JavaScript, on the narrowest of phones: from the company’s page to the mails and out of them', async () => {
    const page = await open({ javaScriptEnabled: false, viewport: { width: NARROWEST, height: 700 } })
    const isInReach = async (name: string) => {
      await picture(page, `uten-js-${name}`)
      const overflow = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'))
      expect([name, overflow <= 0]).toEqual([name, true])
    }
    await logIn(page, `/foretak/${A}`)
    await page.locator('summary').getByText('Overvåk', { exact: true }).click()
    await page.getByLabel('E-post når noe endres').selectOption('Med én gang')
    await isInReach('foretak')
    await page.getByRole('button', { name: 'Overvåk', exact: true }).click()
    await page.getByText('Du overvåker foretaket').click()
    await change(changeOf(A))
    await page.getByRole('link', { name: 'Alle du overvåker' }).click()
    await page.getByRole('heading', { level: 1, name: 'Foretak du overvåker' }).waitFor()
    await page.getByText('Konkurs er åpnet').waitFor()
    await isInReach('overvaking')

    await page.goto(await stopPath())
    await isInReach('ut')
    await page.getByRole('button', { name: 'Slutt å få e-post' }).click()
    await page.getByRole('heading', { name: 'Du får ikke flere e-poster om endringer' }).waitFor()
    await page.getByRole('link', { name: 'Se listen' }).click()
    expect(await page.getByLabel('E-post når noe endres').inputValue()).toBe('ingen')

    await page.getByRole('link', { name: 'Webhooks' }).click()
    await page.getByLabel('Adresse').fill(`${receiver.origin}/paa-telefonen`)
    await page.getByRole('button', { name: 'Legg til' }).click()
    await page.getByText('Kopier den nå').waitFor()
    await isInReach('hemmelighet')
    await page.getByRole('link', { name: 'Til endepunktet' }).click()
    await page.getByRole('button', { name: 'Send en prøve' }).click()
    await page.getByText('En prøve er på vei').waitFor()
    await isInReach('endepunkt')
    await page.goto('/endepunkter')
    await isInReach('endepunkter')

    await page.goto('/overvaking')
    await page.getByRole('button', { name: 'Slutt å overvåke' }).click()
    await page.getByText('Ingen ennå.').waitFor()
    await page.context().close()
  })

  it('its pages are whole on phones and a desk, light and dark, twice as large, however long the words are', async () => {
    await call('PUT', `/api/overvaking/${A}`, { navn: `Kunde ${LONG}`, epost: 'straks' })
    await call('PUT', `/api/overvaking/${B}`, { typer: ['foretak.konkurs', 'roller', 'regnskap'] })
    await call('PUT', `/api/overvaking/${C}`)
    await change(
      changeOf(A),
      changeOf(A, { type: 'roller.styre.endret' }),
      changeOf(C, { type: 'foretak.naering.endret' }),
    )
    const adresse = `${receiver.origin}/${LONG}/${LONG}?kunde=${LONG}`
    const made = await call('POST', '/api/endepunkter', { adresse, typer: ['foretak.konkurs', 'roller'] })
    const { endepunkt }: { endepunkt: { id: string } } = made.body
    receiver.conduct({ status: 500 }, `/${LONG}/${LONG}?kunde=${LONG}`)
    await call('POST', `/api/endepunkter/${endepunkt.id}/prove`)
    const page = await open()
    await logIn(page, '/overvaking')
    const endpoint = `/endepunkter/${endepunkt.id}`
    await eventually('the receiver has failed', async () => {
      await page.goto(endpoint)
      return (await page.getByText(/ikke 2xx/).count()) > 0
    })

    const pages: Record<string, string> = {
      overvaking: '/overvaking',
      'overvaking-en': '/overvaking?lang=en',
      'foretak-overvaket': `/foretak/${A}`,
      'foretak-ikke-overvaket': `/foretak/${UNWATCHED}`,
      'varsling-avslutt': await stopPath(),
      endepunkter: '/endepunkter',
      endepunkt: endpoint,
      'endepunkt-en': `${endpoint}?lang=en`,
    }
    const faults: string[] = []
    for (const [name, path] of Object.entries(pages)) {
      await page.goto(path)
      const fold = page.locator('details.overvak summary')
      if ((await fold.count()) > 0) await fold.click()
      for (const [width, colorScheme, rules] of [
        [390, 'light', undefined],
        [NARROWEST, 'light', LAYOUT_RULES],
        [390, 'dark', LAYOUT_RULES],
        [1280, 'light', LAYOUT_RULES],
        [TWICE_AS_LARGE, 'light', LAYOUT_RULES],
      ] as const)
        for (const fault of await faultsAt(page, name, { width, colorScheme, rules }))
          faults.push(`${name}, ${fault}`)
    }
    // What only an answer to a form shows: what was wrong, and the secret.
    await page.goto('/endepunkter')
    await page.getByLabel('Adresse').fill('https://127.0.0.1/')
    await page.getByRole('button', { name: 'Legg til' }).click()
    await page.getByText('Verten må være et navn').waitFor()
    faults.push(...(await faultsAt(page, 'endepunkter-feil', { width: NARROWEST, colorScheme: 'light' })))
    await page.getByLabel('Adresse').fill(`${receiver.origin}/ny`)
    await page.getByRole('button', { name: 'Legg til' }).click()
    await page.getByText('Kopier den nå').waitFor()
    faults.push(...(await faultsAt(page, 'hemmelighet', { width: NARROWEST, colorScheme: 'dark' })))
    await page.goto(await stopPath())
    await page.getByRole('button', { name: 'Slutt å få e-post' }).click()
    faults.push(...(await axeFaults(page)))
    expect(faults).toEqual([])
    await page.context().close()
  }, 120_000)
})
