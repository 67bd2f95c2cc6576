import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { companyTools } from '#src/api/agents/tools.ts'
import { closedPages } from '#test/support/closed-pages.ts'
import { type PageFront, startPageFront } from './page-front.ts'

const BYTES_MAX = 60_000

let front: PageFront
let pages: string[]

/** As it is: packing them all is as much work as all else. */
const get = (path: string) => front.get(path, { 'accept-encoding': 'identity' })

beforeAll(async () => {
  front = await startPageFront(closedPages())
  pages = await reachable('/dokumentasjon')
})
afterAll(() => front.close())

/** Every page of the documentation a reader can come to from this one. */
async function reachable(first: string): Promise<string[]> {
  const found = new Set([first])
  for (const path of found) {
    for (const link of await linksOf(path)) if (isOurs(link)) found.add(link)
  }
  return [...found]
}

async function linksOf(path: string): Promise<string[]> {
  const { text } = await get(path)
  return [...text.matchAll(/href="([^"#]+)/g)].map(([, to = '']) => to.replaceAll('&#61;', '='))
}

function isOurs(path: string): boolean {
  return path.startsWith('/dokumentasjon') && !path.includes('?') && !/\.(json|pq)$/.test(path)
}

describe('the documentation', () => {
  it('has a page for each guide, call and problem code, none above 60 kB, and every link leads somewhere', async () => {
    const { paths } = JSON.parse((await get('/openapi.json')).text)
    const calls = Object.values<{ get?: { operationId: string } }>(paths).flatMap(
      ({ get }) => get?.operationId ?? [],
    )
    expect(calls.length).toBeGreaterThanOrEqual(7)
    expect(pages).toEqual(expect.arrayContaining(calls.map((id) => `/dokumentasjon/kall/${id}`)))
    for (const path of pages) {
      const { status, text } = await get(path)
      expect([path, status, text.length < BYTES_MAX]).toEqual([path, 200, true])
      expect(text, path).not.toContain('undefined')
      expect(text, path).toContain('<h1')
    }
    const beside = new Set(
      (await Promise.all(pages.map(linksOf))).flat().filter((path) => path.startsWith('/')),
    )
    // Asked of the registers, which are not here.
    beside.delete('/status')
    for (const path of beside) expect([path, (await get(path)).status]).toEqual([path, 200])
  })

  it('opens with a call that can be run as it stands, at the address the service has', async () => {
    const { text } = await get('/dokumentasjon')
    expect(text).toContain(`${front.origin}/api/bedrift/901012121`)
  })

  it('tells of every tool that an agent has, and of what other programs take in', async () => {
    const { text } = await get('/dokumentasjon/klienter')
    for (const { name } of companyTools) expect(text).toContain(`<code>${name}</code>`)
    for (const file of ['postman.json', 'bedriftsoppslag.pq'])
      expect(text).toContain(`href="/dokumentasjon/${file}"`)
  })

  it('tells of what is sent along how much it may be, and what holds without it; what has to be given is first', async () => {
    const { text } = await get('/dokumentasjon/kall/hentAksjonaerer')
    expect(text).toContain('integer 1–500, 100 når den mangler')
    expect((await get('/dokumentasjon/kall/hentAksjonaerer.md')).text).toContain('`size` integer 1–500 = 100')
    const parameters = [...text.matchAll(/<div id="(\w+)">\s*<dt>/g)].map(([, name]) => name)
    expect(parameters.slice(0, 2)).toEqual(['orgnr', 'aar'])
  })

  it('leads from each call to what can go wrong with it', async () => {
    const { text } = await get('/dokumentasjon/kall/hentBedrift')
    expect(text).toContain('href="/dokumentasjon/feil/ukjent_organisasjonsnummer"')
  })

  it.each(['?utm_source=x', '?lang=en', '?a=1&b=2'])(
    'is read whatever stands behind the address (%s)',
    async (query) => {
      for (const path of ['/dokumentasjon', '/dokumentasjon/konsoll', '/dokumentasjon/kall/sokEtterForetak'])
        expect([path, (await get(path + query)).status]).toEqual([path, 200])
    },
  )

  it('is in both languages, every page', async () => {
    for (const path of pages) {
      const [norwegian, english] = await Promise.all(['nb', 'en'].map((lang) => get(`${path}?lang=${lang}`)))
      expect(norwegian?.text, path).toContain('<html lang="nb"')
      expect(english?.text, path).toContain('<html lang="en"')
      expect(mainOf(english?.text ?? ''), path).not.toBe(mainOf(norwegian?.text ?? ''))
    }
  })

  it('is there as Markdown, each page under its own address, and listed for programs that read', async () => {
    const list = await get('/llms.txt')
    expect(list.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    const addresses = [...list.text.matchAll(/\((\S+\.md)\)/g)].map(([, to = '']) =>
      to.replace(front.origin, ''),
    )
    expect(addresses.length).toBeGreaterThan(12)
    for (const path of addresses) {
      const { status, headers, text } = await get(path)
      expect([path, status, headers.get('content-type')]).toEqual([path, 200, 'text/markdown; charset=utf-8'])
      expect(text.startsWith('# '), path).toBe(true)
    }
  })

  it.each([
    ['etag', '/dokumentasjon/ferskhet'],
    ['foreldet_peker', '/dokumentasjon/feil'],
    ['utilgjengelig', '/dokumentasjon/tilstander'],
    ['naeringskode', '/dokumentasjon/kall/sokEtterForetak'],
    ['nøkkel lekket', '/dokumentasjon/nokler'],
    ['mcp', '/dokumentasjon/klienter'],
  ])('is searched: %s', async (question, path) => {
    const { text } = await get(`/dokumentasjon/sok?q=${encodeURIComponent(question)}`)
    expect(mainOf(text)).toContain(`href="${path}`)
  })

  it.each(['<script>alert(1)</script>', '%', ' ', 'x'.repeat(2000), '\u202e\u0000', '[', '.*'])(
    'what is searched for is text: %j',
    async (question) => {
      const { status, text } = await get(`/dokumentasjon/sok?q=${encodeURIComponent(question)}`)
      expect(status).toBe(200)
      expect(text).not.toContain('<script>alert')
    },
  )

  it('a call is tried from its page, with the key that is for everybody: the answer is on it', async () => {
    const form = await get('/dokumentasjon/kall/hentNokkelstatus')
    expect(form.text).toContain('action="/dokumentasjon/prov/hentNokkelstatus#prov"')
    const { status, text } = await get('/dokumentasjon/prov/hentNokkelstatus')
    expect(status).toBe(200)
    expect(text).toMatch(/Svar \d{3}: <code>GET \/api\/bedrift\/status/)
    expect((await get('/dokumentasjon/prov/slaaOppMange')).status).toBe(404)
  })

  it.each(['/dokumentasjon/sok?q=', '/dokumentasjon/prov/hentBedrift?orgnr='])(
    'P182: attack: what is typed is cut in the middle of a letter, and is no fault of ours: %s',
    async (question) => {
      for (const letters of [199, 200, 201]) {
        const typed = encodeURIComponent(`${'a'.repeat(letters - 1)}😀`)
        expect([letters, (await get(question + typed)).status]).toEqual([letters, 200])
      }
    },
  )

  it('what is not there is a page that says so', async () => {
    for (const path of [
      '/dokumentasjon/nei',
      '/dokumentasjon/kall/nei',
      '/dokumentasjon/typer/nei',
      '/dokumentasjon/nei.md',
    ])
      expect([path, (await get(path)).status]).toEqual([path, 404])
  })
})

function mainOf(text: string): string {
  return /<div class="(?:dok__tekst|ramme smal luft) tekstside">([\s\S]*)<\/main>/.exec(text)?.[1] ?? text
}
