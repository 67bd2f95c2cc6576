import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SAMPLE } from '#test/fixtures/samples/index.ts'
import { axeFaults, LAYOUT_RULES, openBrowser, openPage, picture } from '#test/support/browser.ts'
import { eventually } from '#test/support/eventually.ts'
import { keyIn, linkIn } from '#test/support/mail-server.ts'
import { type ShopService, startShopService } from '#test/support/shop-service.ts'

const browser = await openBrowser()

describe.skipIf(browser === null)('a purchase, in a real browser', () => {
  let shop: ShopService
  const contexts: BrowserContext[] = []

  beforeAll(async () => {
    shop = await startShopService()
    await eventually('we are registered at Vipps', () => shop.vipps.webhooks.registrations().length === 1)
  })
  afterAll(async () => {
    for (const context of contexts) await context.close()
    await browser?.close()
    await shop.close()
  })

  /** What is asked of anybody but us and the stand-in, and what a page complains of. */
  const complaints: string[] = []

  async function newPage(options: { javaScriptEnabled?: boolean; width?: number } = {}): Promise<Page> {
    const { width = 390, ...rest } = options
    const page = await openPage(browser, { viewport: { width, height: 844 }, ...rest })
    contexts.push(page.context())
    page.on('request', (request) => {
      const { origin } = new URL(request.url())
      if (origin !== shop.address && origin !== shop.vipps.url && origin !== 'null')
        complaints.push(`asked ${origin}`)
    })
    page.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) complaints.push(message.text())
    })
    return page
  }

  /** From the front page to the button that pays. */
  async function upToPayment(page: Page, epost: string): Promise<void> {
    await page.goto(shop.address)
    await page
      .getByRole('link', { name: /^Kjøp nøkkel, 499/ })
      .first()
      .click()
    await page.getByLabel('E-postadresse').fill(epost)
    await page.getByRole('button', { name: 'Fortsett' }).click()
    await page.getByText(epost, { exact: true }).waitFor()
    await page.getByRole('checkbox').check()
  }

  const payButton = (page: Page) => page.getByRole('button', { name: /^Betal 499/ })
  const lastPayment = () => {
    const payment = shop.vipps.payments.all().at(-1)
    if (payment === undefined) throw new Error('no payment was made')
    return payment
  }
  /** As a client does: a busy service says when to come again. */
  async function ask(key: string, path = '/api/bedrift/status'): Promise<Response> {
    let answer: Response | undefined
    await eventually('there is time for it', async () => {
      answer = await fetch(shop.address + path, { headers: { authorization: `Bearer ${key}` } })
      return answer.status !== 503
    })
    return answer as Response
  }

  async function keyMailed(to: string, besides: readonly string[] = []): Promise<string> {
    let key: string | null = null
    await eventually(`a key is mailed to ${to}`, () => {
      const keys = shop.mail.mails.filter(({ envelope }) => envelope.to === to).map(keyIn)
      key = keys.find((each) => each !== null && !besides.includes(each)) ?? null
      return key !== null
    })
    return key ?? ''
  }

  it('bought, approved, mailed, used, replaced, and the old one dies as promised', async () => {
    const epost = 'kjoper@example.no'
    const page = await newPage()
    await upToPayment(page, epost)
    await payButton(page).click()
    await page.getByRole('button', { name: 'Godkjenn' }).click()
    // The page finds out by itself.
    await page.getByRole('heading', { name: 'Nøkkelen er sendt og betalt' }).waitFor()
    const key = await keyMailed(epost)
    expect(await page.content()).not.toContain(key)
    expect((await ask(key)).status).toBe(200)
    const record = await ask(key, `/api/bedrift/${SAMPLE.healthy}`)
    expect([record.status, ((await record.json()) as { navn: string }).navn]).toEqual([
      200,
      'TINDEVÅG SJØMAT AS',
    ])
    expect(lastPayment().capturedOre).toBe(49_900)

    await page.reload()
    await page.getByRole('heading', { name: 'Nøkkelen er sendt og betalt' }).waitFor()
    const elsewhere = await newPage({ width: 1280 })
    await elsewhere.goto(page.url())
    await elsewhere.getByRole('heading', { name: 'Nøkkelen er sendt og betalt' }).waitFor()

    await page.goto(`${shop.address}/bytt-nokkel`)
    await page.getByLabel('E-postadresse').fill(epost)
    await page.getByLabel('Nøkkelen er mistet').check()
    await page.getByRole('button', { name: 'Send meg en lenke' }).click()
    await page.getByRole('heading', { name: 'Se i innboksen' }).waitFor()
    const beginning = `${shop.address}/nokkel/erstatt/`
    let link: string | null = null
    await eventually('the link is mailed', () => {
      link = shop.mail.mails.map((mail) => linkIn(mail, beginning)).find((each) => each !== null) ?? null
      return link !== null
    })
    await page.goto(link ?? '')
    // A mail scanner opens it too: nothing has happened yet.
    expect((await ask(key)).status).toBe(200)
    await page.getByRole('button', { name: 'Bytt nøkkelen' }).click()
    await page.getByRole('heading', { name: 'Den nye nøkkelen er på vei' }).waitFor()
    const replacement = await keyMailed(epost, [key])
    expect((await ask(key)).status).toBe(200)
    expect((await ask(replacement)).status).toBe(200)
    await eventually('the old key is refused', async () => (await ask(key)).status === 401)
  })

  it('refused at Vipps, without JavaScript: nothing is taken, and one may try again', async () => {
    const page = await newPage({ javaScriptEnabled: false })
    await upToPayment(page, 'avviser@example.no')
    await payButton(page).click()
    await page.getByRole('button', { name: 'Avvis' }).click()
    await page.getByRole('heading', { name: 'Betalingen ble avbrutt' }).waitFor()
    await page.getByRole('button', { name: 'Prøv igjen' }).click()
    // The same once more, with nothing typed again.
    await page.getByRole('button', { name: 'Avvis' }).waitFor()
    expect(shop.mail.mails.filter(({ envelope }) => envelope.to === 'avviser@example.no')).toEqual([])
  })

  it('not approved in time: the page says so', async () => {
    const page = await newPage()
    await upToPayment(page, 'sen@example.no')
    await payButton(page).click()
    await page.getByRole('button', { name: 'Godkjenn' }).waitFor()
    const { reference, returnUrl } = lastPayment()
    await page.goto(returnUrl)
    await page.getByRole('heading', { name: 'Vi venter på betalingen' }).waitFor()
    shop.vipps.expire(reference)
    await page.getByRole('heading', { name: 'Tiden gikk ut' }).waitFor()
  })

  it('the tab is closed after paying: the key comes all the same', async () => {
    const page = await newPage()
    await upToPayment(page, 'lukker@example.no')
    await payButton(page).click()
    await page.getByRole('button', { name: 'Godkjenn' }).waitFor()
    const { reference, returnUrl } = lastPayment()
    await page.close()
    shop.vipps.approve(reference)
    expect((await ask(await keyMailed('lukker@example.no'))).status).toBe(200)
    const later = await newPage()
    await later.goto(returnUrl)
    await later.getByRole('heading', { name: /^Nøkkelen er sendt/ }).waitFor()
  })

  it('a double click on the button is one order with one payment', async () => {
    const before = shop.vipps.payments.all().length
    const page = await newPage()
    await upToPayment(page, 'dobbel@example.no')
    await payButton(page).dblclick()
    await page.getByRole('button', { name: 'Godkjenn' }).waitFor()
    expect(shop.vipps.payments.all().length).toBe(before + 1)
  })

  it('back from Vipps and on again is the same order', async () => {
    const page = await newPage()
    await upToPayment(page, 'tilbake@example.no')
    await payButton(page).click()
    await page.getByRole('button', { name: 'Godkjenn' }).waitFor()
    const { reference } = lastPayment()
    await page.goBack()
    await page.getByRole('checkbox').check()
    await payButton(page).click()
    await page.getByRole('button', { name: 'Godkjenn' }).waitFor()
    expect(lastPayment().reference).toBe(reference)
    await page.getByRole('button', { name: 'Godkjenn' }).click()
    await page.getByRole('heading', { name: 'Nøkkelen er sendt og betalt' }).waitFor()
    // And from there back again: what is paid is not paid twice.
    await page.goto(shop.address)
    expect(shop.vipps.payments.all().filter((each) => each.reference === reference).length).toBe(1)
  })

  it('an address the mail server refuses is replaced by another on the page', async () => {
    shop.mail.behave({ at: 'rcpt', does: 550, to: 'feil@example.no' })
    const page = await newPage()
    await upToPayment(page, 'feil@example.no')
    await payButton(page).click()
    await page.getByRole('button', { name: 'Godkjenn' }).click()
    await page.getByRole('heading', { name: 'E-posten ble avvist' }).waitFor()
    expect(lastPayment().capturedOre).toBe(0)
    await page.getByLabel('En annen e-postadresse').fill('riktig@example.no')
    await page.getByRole('button', { name: 'Send nøkkelen hit' }).click()
    await page.getByRole('heading', { name: 'Nøkkelen er sendt og betalt' }).waitFor()
    expect((await ask(await keyMailed('riktig@example.no'))).status).toBe(200)
  })

  it('every page is shown on a phone and a desk, in light and dark, and axe-core finds no serious fault', async () => {
    const { returnUrl } = lastPayment()
    const pages = {
      forside: '/',
      'forside-en': '/?lang=en',
      eksempel: '/eksempel',
      kjop: '/kjop',
      'bytt-nokkel': '/bytt-nokkel',
      'bytt-nokkel-sendt': '/bytt-nokkel/sendt',
      'bytt-nokkel-lenke': `/nokkel/erstatt/${'a'.repeat(43)}`,
      'forny-ugyldig': `/nokkel/forny/${'a'.repeat(43)}`,
      ordre: new URL(returnUrl).pathname,
      vilkar: '/vilkar',
      personvern: '/personvern',
      endringer: '/dokumentasjon/endringer',
      dokumentasjon: '/dokumentasjon',
      'dokumentasjon-kall': '/dokumentasjon/kall/hentBedrift',
      'dokumentasjon-type': '/dokumentasjon/typer/Bedrift',
      'dokumentasjon-prov': '/dokumentasjon/prov/finnForetak?navn=tindev%C3%A5g',
      'dokumentasjon-konsoll': '/dokumentasjon/konsoll',
      'dokumentasjon-feil': '/dokumentasjon/feil',
      'dokumentasjon-sok': '/dokumentasjon/sok?q=nokkel',
      'finnes-ikke': `/ordre/${'a'.repeat(43)}`,
    }
    const faults: string[] = []
    // Of the pages' contents the width hides or shows only the owners' picture, on the example.
    const rulesOf = (name: string, size: 'telefon' | 'skjerm') =>
      size === 'telefon' || name === 'eksempel' ? undefined : LAYOUT_RULES
    const look = async (size: 'telefon' | 'skjerm', width: number) => {
      const page = await newPage({ width })
      for (const [name, path] of Object.entries(pages)) {
        await page.goto(shop.address + path)
        for (const fault of await axeFaults(page, rulesOf(name, size)))
          faults.push(`${name}, ${size}: ${fault}`)
        if (size === 'telefon') {
          // What the dark changes is colours, and those are the same on every screen.
          await page.emulateMedia({ colorScheme: 'dark' })
          for (const fault of await axeFaults(page, ['color-contrast']))
            faults.push(`${name}, dark: ${fault}`)
          await page.emulateMedia({ colorScheme: 'light' })
        }
        // On a phone, too, all of a table of sources is on the screen.
        const outOfSight = await page.evaluate(
          '[...document.querySelectorAll(".kilder td")].filter((cell) => cell.getBoundingClientRect().right > innerWidth).length',
        )
        if (outOfSight !== 0) faults.push(`${name}, ${size}: ${outOfSight} cells of the sources out of sight`)
        const isTooWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
        if (isTooWide) faults.push(`${name}, ${size}: wider than the screen`)
        await picture(page, `${name}-${size}`)
      }
      await upToPayment(page, `${size}@example.no`)
      for (const fault of await axeFaults(page, rulesOf('bekreft', size)))
        faults.push(`bekreft, ${size}: ${fault}`)
      await picture(page, `kjop-bekreft-${size}`)
    }
    await Promise.all([look('telefon', 390), look('skjerm', 1280)])
    expect(faults).toEqual([])
  })

  it('nobody but us was asked for anything, and no page broke its own policy', () => {
    expect(complaints).toEqual([])
  })
})
