import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PageFront, startPageFront } from '#test/pages/page-front.ts'
import { closedPages } from '#test/support/closed-pages.ts'
import { openJudges } from '../support/judges.ts'

// biome-ignore lint/suspicious/noExplicitAny: the document is what is being looked at
type Document = any
type Finding = { code: string | number; path: (string | number)[]; message: string }

/** Rules of Spectral and OWASP that are switched off, each with its reason. */
const NOT_SO_HERE = {
  'owasp:api4:2023-rate-limit': 'calls are unlimited: a share is a turn, and there is no rate to tell of',
  'owasp:api4:2023-rate-limit-retry-after': 'looked at below, as the header is written here',
  'owasp:api4:2023-string-restricted': 'names and search texts are whatever somebody is called',
  'owasp:api4:2023-integer-format': 'a bound says more than a width of 32 or 64 bits',
  'owasp:api8:2023-define-cors-origin': 'no other site’s page may read an answer',
  'owasp:api9:2023-inventory-access': 'there is one server, and it is public',
  'contact-properties': 'one way to reach whoever runs it is what there is',
  'operation-description': 'a summary that says it all is not said again',
}

/** Rules for what is sent to the service; in answers lengths are the registers’, who promise none. */
const OF_WHAT_IS_SENT = [
  'owasp:api4:2023-array-limit',
  'owasp:api4:2023-integer-limit',
  'owasp:api4:2023-string-limit',
]

function foundBy(found: readonly Finding[]): string[] {
  return found.map(({ code, path, message }) => `${code} ${path.join('/')} ${message}`)
}

/** The schemas that are named there, and those that they name. */
function namedBy(there: object, schemas: Document, found: Document = {}): Document {
  for (const [, name = ''] of JSON.stringify(there).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    if (name in found) continue
    found[name] = schemas[name]
    namedBy(schemas[name], schemas, found)
  }
  return found
}

/** At an address as a customer meets it; in the test it is this machine. */
function atHome(document: Document): Document {
  const [{ url }] = document.servers
  return JSON.parse(JSON.stringify(document).replaceAll(url, 'https://oppslag.example'))
}

describe('the published document, by the rules of others', () => {
  let front: PageFront
  let nb: Document
  // biome-ignore lint/suspicious/noExplicitAny: their types are not installed where this is compiled
  let Spectral: any, oas: object, owasp: object

  beforeAll(async () => {
    const { load } = await openJudges()
    ;({ Spectral } = load('@stoplight/spectral-core'))
    ;({ oas } = load('@stoplight/spectral-rulesets'))
    owasp = load('@stoplight/spectral-owasp-ruleset')
    front = await startPageFront(closedPages())
    nb = JSON.parse((await front.get('/openapi.json')).text)
  }, 300_000)
  afterAll(() => front?.close())

  const operations = (document: Document): Document[] =>
    Object.values<Document>(document.paths).flatMap((path) => Object.values<Document>(path))

  it('P108: has nothing that another judge would mend (Spectral, with the rules of OWASP), apart from what is said here', async () => {
    const spectral = new Spectral()
    const off = [...Object.keys(NOT_SO_HERE), ...OF_WHAT_IS_SENT].map((rule) => [rule, 'off'])
    spectral.setRuleset({
      extends: [
        [oas, 'all'],
        [owasp, 'all'],
      ],
      rules: Object.fromEntries(off),
    })
    expect(foundBy(await spectral.run(atHome(nb)))).toEqual([])
    // Where clients are told how long to wait: the judge looks for the header in capitals alone.
    for (const { responses } of operations(nb)) {
      const name = responses[429].$ref.replace('#/components/responses/', '')
      expect(Object.keys(nb.components.responses[name].headers)).toContain('retry-after')
    }
  })

  it('bounds what is sent to it, as OWASP wants it', async () => {
    const spectral = new Spectral()
    const chosen = OF_WHAT_IS_SENT.map((rule) => [rule, 'error'])
    spectral.setRuleset({ extends: [[owasp, 'off']], rules: Object.fromEntries(chosen) })
    const sent = structuredClone(atHome(nb))
    for (const operation of operations(sent)) operation.responses = {}
    const { parameters } = sent.components
    const schemas = namedBy(sent.paths, sent.components.schemas)
    expect(Object.keys(schemas)).toContain('Endepunktsonske')
    expect(foundBy(await spectral.run({ ...sent, components: { parameters, schemas } }))).toEqual([])
  })
})
