import { afterAll, beforeAll, expect, it } from 'vitest'
import { hos, rollerHosAndre } from '#src/samples/shapes/roller-i-andre-foretak.ts'
import { fanOut } from '#src/storage/push/fan-out.ts'
import { hidePerson } from '#src/storage/shareholders/hidden-persons.ts'
import { SAMPLE, sampleAnswers } from '../fixtures/samples/index.ts'
import { buildFrom } from '../search/built-index.ts'
import { auditedBy, doomed } from '../support/doomed-company.ts'
import { eventually } from '../support/eventually.ts'
import { formBrowser } from '../support/form-browser.ts'
import { copyOf, inventNumbers } from '../support/invented-companies.ts'
import { makeEndpoint } from '../support/made-endpoint.ts'
import { logIn, type TestOperator } from '../support/operators.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { type Route, withRoutes } from '../support/routes.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { putYear } from '../support/share-books.ts'
import { changeOf, writeInLog } from '../support/written-changes.ts'

const WORD = 'LUNDEGLEMSEL'
const KARI = { navn: 'KARI HOLDERSEN', fodselsaar: 1970, orgnr: null }
/** As it is called, and as its chairman is: the word alone is of a question that is told again. */
const NAMED = new RegExp(`${WORD}( AS|sund)`, 'i')
const near = inventNumbers(4)
const [removed = '', naming = '', owner = '', part = ''] = near

const sample = sampleAnswers()
const called = (orgnr: string, navn: string) =>
  copyOf(sample.companies.get(SAMPLE.healthy) ?? {}, SAMPLE.healthy, orgnr, { 'TINDEVÅG SJØMAT AS': navn })
const group = {
  navn: 'NEVNER AS',
  organisasjonsnummer: naming,
  children: [{ navn: `${WORD} AS`, organisasjonsnummer: removed, grunnlag: '60%' }],
}
const companies = new Map([
  ...sample.companies,
  [removed, doomed(removed, WORD)],
  [
    naming,
    {
      ...called(naming, 'NEVNER AS'),
      roller: auditedBy(removed, WORD, naming),
      konsern: { status: 200, json: group },
    },
  ],
  [
    owner,
    {
      ...called(owner, 'EIER AS'),
      rollerIAndreForetak: {
        status: 200,
        json: rollerHosAndre(owner, hos(removed, `${WORD} AS`, 'AS', 'REVI')),
      },
    },
  ],
  [
    part,
    copyOf(sample.companies.get(SAMPLE.subUnit) ?? {}, SAMPLE.subUnit, part, { [SAMPLE.healthy]: removed }),
  ],
])

type Ask = { name: string; ask: () => Promise<{ text: string }> }
type Parameter = { name: string; in: string; required?: boolean; schema: { enum?: string[] } }
type Document = {
  paths: Record<string, { get?: { parameters?: (Parameter | { $ref: string })[]; responses: object } }>
  components: { parameters: Record<string, Parameter> }
}

let register: RegisterStandIn
let service: TestService
let routes: { public: Route[]; operators: Route[] }
let browser: ReturnType<typeof formBrowser>
let operator: TestOperator
/** What may stand in a place, or a parameter, of that name. */
let known: Record<string, readonly string[]>

beforeAll(async () => {
  register = await startRegisterStandIn({ answers: { ...sample, companies } })
  const enheter = [removed, naming, owner].flatMap((orgnr) => {
    const enhet = companies.get(orgnr)?.enhet
    return enhet !== undefined && 'json' in enhet ? [enhet.json] : []
  })
  const aksjer: [number, number][] = [[0, 60]]
  const kari = { n: KARI.navn, f: KARI.fodselsaar, l: 'NO', a: aksjer }
  const book = (orgnr: string, holder: string, navn: string) => ({
    orgnr,
    holders: [{ n: navn, o: Number(holder), a: aksjer }, kari],
  })
  ;({ service, routes } = await withRoutes(() =>
    startTestService(register, {
      isLoaded: true,
      workers: false,
      variables: { SOKEINDEKS: 'paa' },
      seed: async ({ url, database }) => {
        await buildFrom(url, { enheter, underenheter: [] })
        const books = [book(removed, owner, 'EIER AS'), book(naming, removed, `${WORD} AS`)]
        await putYear(database, { aar: 2024, books })
      },
    }),
  ))
  const { database } = service.storage
  browser = formBrowser(service.address)
  await browser.logIn(service.token)
  operator = await logIn(service.storage, service.opsAddress, { navn: 'Kari', rolle: 'skrive' })
  for (const [orgnr, navn] of Object.entries({ [removed]: `${WORD} AS`, [naming]: 'NEVNER AS' }))
    await service.call('PUT', `/api/overvaking/${orgnr}`, { body: { navn } })
  const [key] = await database.query<{ kjede: string }>('select kjede from api_nokkel')
  const { id } = await makeEndpoint(database, key?.kjede ?? '', 'https://mottaker.example/')
  const felt = [{ felt: '/navn', for: null, etter: `${WORD} AS` }]
  await writeInLog(database, changeOf(removed, { felt }))
  await writeInLog(database, changeOf(naming, { felt, nevner: [Number(removed)] }))
  while ((await fanOut(database, { changesMax: 100, deliveriesMax: 100 })).hasMore);
  const sent = await database.query<{ id: string }>('select id from levering')
  const levering = sent.map((each) => each.id)
  known = { orgnr: near, endepunkt: [id], levering, q: [WORD], navn: [WORD] }
})
afterAll(async () => {
  await service.close()
  await register.close()
})

/** Every GET that is documented, with each of what may stand in its places, and each word of its lists. */
async function documented(): Promise<Ask[]> {
  const { paths, components } = (await service.getBare('/openapi.json')).body as Document
  return Object.entries(paths).flatMap(([path, { get }]) => {
    if (get === undefined) return []
    const parameters = (get.parameters ?? []).map((each) =>
      '$ref' in each ? (components.parameters[each.$ref.split('/').at(-1) ?? ''] as Parameter) : each,
    )
    const asked = parameters.filter((each) => each.in === 'query')
    const words = ({ name, schema }: Parameter) =>
      (schema.enum ?? known[name] ?? []).map((word) => `${name}=${word}`)
    const first = asked.filter(({ name, required }) => required || name === 'navn').flatMap(words)
    const ways = ['', ...asked.filter(({ required }) => !required).flatMap(words)]
    const forms = Object.keys((get.responses as { 200?: { content?: object } })[200]?.content ?? {})
    return filled(path, /\{(\w+)\}/).flatMap((place) =>
      ways.flatMap((way) =>
        forms.map((accept) => {
          const query = [...first, ...(first.includes(way) ? [] : [way])].filter(Boolean).join('&')
          const url = query === '' ? place : `${place}?${query}`
          return { name: `${url} ${accept}`, ask: () => service.get(url, { accept }) }
        }),
      ),
    )
  })
}

function filled(path: string, place: RegExp): string[] {
  const [whole = '', name = ''] = place.exec(path) ?? []
  if (whole === '') return [path]
  return (known[name] ?? []).flatMap((word) => filled(path.replace(whole, word), place))
}

/** Every page of both ports: about each company, and with the word as what is looked for. */
function pages(): Ask[] {
  const of = (all: Route[], get: (path: string) => Promise<{ text: string }>): Ask[] =>
    all
      .filter(({ method, path }) => method === 'GET' && !/^\/api\/|\/statisk\/|\/strom$|ogg-ut$/.test(path))
      .flatMap(({ path }) =>
        path.includes(SAMPLE.healthy)
          ? near.map((orgnr) => path.replace(SAMPLE.healthy, orgnr))
          : [path, path.replace(/\/x$/, `/${known.endepunkt?.[0]}`)],
      )
      .flatMap((path) => [path, `${path}?q=${WORD}`, `${path}?orgnr=${removed}`])
      .map((path) => ({ name: path, ask: () => get(path) }))
  return [...of(routes.public, browser.get), ...of(routes.operators, operator.get)]
}

function posted(): Ask[] {
  const lists = ['application/x-ndjson', 'text/csv'].map((accept) => ({
    name: `oppslag ${accept}`,
    ask: () => service.call('POST', '/api/bedrift/oppslag', { body: near, headers: { accept } }),
  }))
  const page = { name: 'liste', ask: () => browser.send('/liste', { linjer: near.join('\n'), gjor: 'finn' }) }
  return [...lists, page]
}

async function tools(): Promise<Ask[]> {
  const rpc = (method: string, params: object) =>
    service.call('POST', '/mcp', {
      body: { jsonrpc: '2.0', id: 1, method, params },
      headers: { accept: 'application/json, text/event-stream' },
    })
  const { text } = await rpc('tools/list', {})
  const { result } = JSON.parse(/\{.*\}/.exec(text)?.[0] ?? '') as {
    result: { tools: { name: string; inputSchema: { properties: object } }[] }
  }
  return result.tools.flatMap(({ name, inputSchema: { properties } }) =>
    'organisasjonsnummer' in properties
      ? near.map((organisasjonsnummer) => ({
          name: `${name} ${organisasjonsnummer}`,
          ask: () => rpc('tools/call', { name, arguments: { organisasjonsnummer } }),
        }))
      : [{ name, ask: () => rpc('tools/call', { name, arguments: { tekst: WORD } }) }],
  )
}

const everything = async () => [...(await documented()), ...pages(), ...posted(), ...(await tools())]

/** The questions whose answers have this. */
async function thatHave(named: RegExp, all: readonly Ask[]): Promise<string[]> {
  const names: string[] = []
  for (const { name, ask } of all) if (named.test((await ask()).text)) names.push(name)
  return names
}

it('P21: attack: of all there is to ask for no answer names who is hidden as a holder', async () => {
  const all = await everything()
  const hers = new RegExp(KARI.navn)
  expect((await thatHave(hers, all)).length).toBeGreaterThan(20)
  await hidePerson(service.storage.database, KARI)
  const heard = async () => !hers.test((await service.get(`/api/bedrift/${naming}`)).text)
  await eventually('the front has heard of it', heard)
  expect(await thatHave(hers, all)).toEqual([])
})

it('P11, P120: attack: of all there is to ask for no answer names who is removed, though nobody has erased it yet', async () => {
  const all = await everything()
  expect((await thatHave(NAMED, all)).length).toBeGreaterThan(60)
  service.tiers.tombstones.remove(removed, null)
  await service.tiers.tombstones.settled()
  expect(await thatHave(NAMED, all)).toEqual([])
})
