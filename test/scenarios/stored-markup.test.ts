import { parse } from 'csv-parse/sync'
import { strFromU8, unzipSync } from 'fflate'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CompanyAnswers } from '#src/samples/answers.ts'
import { answersWithCopies, inventNumbers } from '#test/support/invented-companies.ts'
import { logIn } from '#test/support/operators.ts'
import { type RegisterStandIn, startRegisterStandIn } from '#test/support/register-stand-in.ts'
import { startTestService, type TestService } from '#test/support/service.ts'
import { faultsOf, readPage } from '#test/support/shown-page.ts'

const [ORGNR = ''] = inventNumbers(1)
/** A sign that begins a formula, the end of an attribute, of an element, of a script and of CDATA, and a line of its own. */
const MARK = `=1+1"'></title></textarea></script><img src=x onerror=alert(1)>]]>\r\n\tnavn${'\u202e'}&lt;b&gt;{{7*7}}`
const ADDRESS = 'javascript:alert(1)//'
/** What companies and people are called, do and say of themselves; all else is of lists the registers keep. */
const OWN_WORDS =
  /^(navn|fornavn|mellomnavn|etternavn|aktivitet|vedtektsfestetFormaal|adresse|poststed|signatureringstekst|beskrivelse)$/

/** As if all of it had been registered so. */
function marked(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((each) => marked(each, key))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, marked(each, name)]))
  if (key === 'hjemmeside' || key === 'epostadresse') return ADDRESS
  return typeof value === 'string' && OWN_WORDS.test(key) ? `${MARK} ${value}` : value
}

describe('P132: what a company is called and says of itself, whatever it is', () => {
  let register: RegisterStandIn
  let service: TestService
  let cookie: string

  beforeAll(async () => {
    const { companies, klass } = answersWithCopies([ORGNR as never])
    const answers = Object.entries(companies.get(ORGNR as never) ?? {}).map(([source, answer]) => [
      source,
      'json' in answer ? { ...answer, json: marked(answer.json) } : answer,
    ])
    const company = { ...Object.fromEntries(answers), hjemmeside: ADDRESS } as CompanyAnswers
    register = await startRegisterStandIn({
      answers: { klass, companies: new Map([...companies, [ORGNR as never, company]]) },
    })
    service = await startTestService(register, { isLoaded: true, workers: false })
    const form = await fetch(`${service.address}/logg-inn`)
    const own = cookiesOf(form)
    const entered = await fetch(`${service.address}/logg-inn`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: own },
      body: new URLSearchParams({ skjema: tokenIn(await form.text()), nokkel: service.token }),
    })
    cookie = `${own}; ${cookiesOf(entered)}`
  })
  afterAll(async () => {
    await service.close()
    await register.close()
  })

  const inside = (path: string) => service.getBare(path, { cookie })

  it('is there: the record has it letter for letter', async () => {
    const { body, status } = await service.get(`/api/bedrift/${ORGNR}`)
    expect(status).toBe(200)
    expect(body.navn).toContain('</script><img src=x onerror=alert(1)>')
  })

  it.each(['', '?lang=en', '/tekst'])('is text on its page%s', async (more) => {
    const page = await inside(`/foretak/${ORGNR}${more}`)
    expect(page.status).toBe(200)
    expectText(page)
  })

  it('is text where it is found', async () => {
    for (const path of [
      `/oppslag?q=${encodeURIComponent('navn TINDEVÅG')}`,
      `/oppslag?q=${encodeURIComponent(MARK.slice(0, 60))}`,
    ])
      expectText(await inside(path))
  })

  it('is text in a list of one’s own, which goes back and forth in a form', async () => {
    const got = await inside('/liste')
    for (const gjor of ['', 'csv', 'xlsx']) {
      const sent = await fetch(`${service.address}/liste`, {
        method: 'POST',
        headers: { cookie },
        body: new URLSearchParams({
          skjema: tokenIn(got.text),
          linjer: `${ORGNR}\n${MARK.replaceAll(/[\r\n]/g, ' ')}`,
          gjor,
        }),
      })
      expect(sent.status).toBe(200)
      const bytes = new Uint8Array(await sent.arrayBuffer())
      if (gjor === 'xlsx') expectNoFormulaInWorkbook(bytes)
      else if (gjor === 'csv') expectNoFormula(new TextDecoder().decode(bytes))
      else expectText({ headers: sent.headers, text: new TextDecoder().decode(bytes) })
    }
  })

  it('is no formula in what is taken home', async () => {
    expectNoFormula((await inside(`/foretak/${ORGNR}/csv`)).text)
    const workbook = await fetch(`${service.address}/foretak/${ORGNR}/xlsx`, { headers: { cookie } })
    expectNoFormulaInWorkbook(new Uint8Array(await workbook.arrayBuffer()))
    for (const accept of ['text/csv', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet']) {
      const sent = await fetch(`${service.address}/api/bedrift/oppslag`, {
        method: 'POST',
        headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json', accept },
        body: JSON.stringify([ORGNR]),
      })
      expect(sent.status).toBe(200)
      const bytes = new Uint8Array(await sent.arrayBuffer())
      if (accept === 'text/csv') expectNoFormula(new TextDecoder().decode(bytes))
      else expectNoFormulaInWorkbook(bytes)
    }
  })

  it('is data to programs: no answer is of a type that a browser shows', async () => {
    for (const path of [
      `/api/bedrift/${ORGNR}`,
      `/api/bedrift/${ORGNR}/roller`,
      `/api/bedrift/sok?q=navn`,
      `/foretak/${ORGNR}/json`,
    ]) {
      const { headers } = path.startsWith('/api') ? await service.get(path) : await inside(path)
      expect([path, headers.get('x-content-type-options')]).toEqual([path, 'nosniff'])
      expect(headers.get('content-type')).toMatch(/^application\/(problem\+)?json/)
    }
  })

  it('is text to operators', async () => {
    const operator = await logIn(service.storage, service.opsAddress, { navn: 'Kari', rolle: 'skrive' })
    const { status, text } = await operator.get(`/foretak?orgnr=${ORGNR}`)
    expect(status).toBe(200)
    expect(readPage(text).all('img')).toEqual([])
    expect(text).not.toContain('<img src=x')
    expect(text).not.toContain('\u202e')
  })

  it('is text in what another program shows of it', async () => {
    const { body } = await service.call('POST', '/api/avstemming-adresse')
    const shown = await service.getBare(`${new URL(body.adresse).pathname}/visning?id=${ORGNR}`)
    expect(shown.text).toContain('navn')
    expectText(shown)
  })
})

/** A page whose every element is ours. */
function expectText({ headers, text }: { headers: Headers; text: string }): void {
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  if (!headers.get('content-type')?.startsWith('text/html')) {
    expect(headers.get('content-type')).toMatch(/^text\/plain/)
    return
  }
  expect(headers.get('content-security-policy')).toContain("default-src 'none'")
  const page = readPage(text)
  expect(page.all('img').filter(({ attribs }) => 'onerror' in attribs)).toEqual([])
  expect(text).not.toContain('<img src=x')
  // It turns nothing round that stands beside it (P87).
  expect(text).not.toContain('\u202e')
  expect(text.toLowerCase()).not.toMatch(/(?:href|src|action)="?\s*javascript:/)
  expect(faultsOf(page, [/^https:\/\//]).filter((fault) => /^on|script|javascript/.test(fault))).toEqual([])
}

/** No cell of it begins as a formula does. */
function expectNoFormula(text: string): void {
  const rows: string[][] = parse(text, { bom: true, delimiter: ';', relax_column_count: true })
  const cells = rows.flat()
  expect(cells.some((cell) => cell.includes('onerror'))).toBe(true)
  for (const cell of cells) expect(cell).not.toMatch(/^\s*[=+@\t]/)
}

function expectNoFormulaInWorkbook(bytes: Uint8Array): void {
  const sheets = Object.entries(unzipSync(bytes)).filter(([name]) => name.endsWith('.xml'))
  expect(sheets.length).toBeGreaterThan(3)
  for (const [name, content] of sheets) expect(strFromU8(content), name).not.toMatch(/<f[ >]|<img|<script/)
}

function tokenIn(page: string): string {
  return (
    readPage(page)
      .all('input')
      .find(({ attribs }) => attribs.name === 'skjema')?.attribs.value ?? ''
  )
}

function cookiesOf(answer: Response): string {
  return answer.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ')
}
