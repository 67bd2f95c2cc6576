import { connect } from 'node:net'
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { SAMPLE, sampleAnswers, UNKNOWN_NUMBER } from '#test/fixtures/samples/index.ts'
import { type RegisterStandIn, startRegisterStandIn } from './register-stand-in.ts'

const ENHETER = '/enhetsregisteret/api/enheter'
const UNDERENHETER = '/enhetsregisteret/api/underenheter'
const REGNSKAP = '/regnskapsregisteret/regnskap'
const KUNNGJORINGER = '/kunngjoring/hent_nr.jsp?orgnr='
const KLASS = '/api/klass/v1'

let standIn: RegisterStandIn

beforeEach(async () => {
  standIn = await startRegisterStandIn({ answers: sampleAnswers() })
})
afterEach(() => standIn.close())

describe('look-ups answer as the registers do', () => {
  test('a live unit is 200 with respons_klasse Enhet, in the type that was asked for', async () => {
    const plain = await get(`${ENHETER}/${SAMPLE.healthy}`, { accept: 'application/json' })
    expect(plain).toMatchObject({
      status: 200,
      json: { respons_klasse: 'Enhet', navn: 'TINDEVÅG SJØMAT AS' },
    })
    expect(plain.type).toBe('application/json;charset=UTF-8')
    const v2 = 'application/vnd.brreg.enhetsregisteret.enhet.v2+json'
    expect((await get(`${ENHETER}/${SAMPLE.healthy}`, { accept: v2 })).type).toBe(`${v2};charset=UTF-8`)
  })

  test('a deleted unit is 200 and a removed one is 410 without a name', async () => {
    const deleted = await get(`${ENHETER}/${SAMPLE.deleted}`)
    expect(deleted).toMatchObject({
      status: 200,
      json: { respons_klasse: 'SlettetEnhet', slettedato: '2019-06-18' },
    })
    const removed = await get(`${ENHETER}/${SAMPLE.removed}`)
    expect(removed).toMatchObject({ status: 410, json: { slettedato: '2026-06-01' } })
    expect(removed.json).not.toHaveProperty('navn')
  })

  test('an unknown number is 404 without a byte, an unknown path 404 with problem+json', async () => {
    for (const path of [
      `${ENHETER}/${UNKNOWN_NUMBER}`,
      `${ENHETER}/${SAMPLE.subUnit}`,
      `${UNDERENHETER}/${SAMPLE.healthy}`,
      `${ENHETER}/${UNKNOWN_NUMBER}/roller`,
      `${REGNSKAP}/${SAMPLE.soleProprietor}`,
      `/fullmakt/enheter/${SAMPLE.soleProprietor}/signatur`,
    ]) {
      expect(await get(path), path).toMatchObject({ status: 404, text: '', type: null })
    }
    const wrongPath = await get(`${ENHETER}/${SAMPLE.healthy}/signatur`)
    expect(wrongPath).toMatchObject({ status: 404, type: 'application/problem+json' })
    expect(wrongPath.json).toMatchObject({ title: 'Not Found', status: 404 })
  })

  test('a malformed number is a 400 that names it, and a type nobody serves is refused', async () => {
    expect(await get(`${ENHETER}/12345`)).toMatchObject({
      status: 400,
      json: { antallFeil: 1, valideringsfeil: [{ feilaktigVerdi: '12345' }] },
    })
    const asked = await get(`${ENHETER}/${SAMPLE.healthy}/roller`, { accept: 'text/turtle' })
    expect(asked.status).toBe(415)
  })

  test('an address longer than the front-end proxy takes is an HTML 400', async () => {
    const filter = `${SAMPLE.healthy},`.repeat(2500)
    expect(await get(`${ENHETER}?organisasjonsnummer=${filter}`)).toMatchObject({
      status: 400,
      json: undefined,
    })
  })

  test('a sub-unit has its address under beliggenhetsadresse and a parent', async () => {
    expect(await get(`${UNDERENHETER}/${SAMPLE.subUnit}`)).toMatchObject({
      json: {
        respons_klasse: 'Underenhet',
        overordnetEnhet: SAMPLE.healthy,
        beliggenhetsadresse: { landkode: 'NO' },
      },
    })
  })

  test('no prokura is an answer with status 200', async () => {
    expect(await get(`/fullmakt/enheter/${SAMPLE.healthy}/prokura`)).toMatchObject({
      status: 200,
      json: { signeringsGrunnlag: { kode: 'SI' }, enhet: { konkurs: 'false' } },
    })
  })

  test('accounts: six filings, the group first; år and regnskapstype filter; a bank is a 500 with text as status', async () => {
    const all = await get(`${REGNSKAP}/${SAMPLE.healthy}`)
    expect(all.json).toHaveLength(6)
    expect(all.json).toMatchObject({ 0: { regnskapstype: 'KONSERN' } })
    const company2024 = await get(`${REGNSKAP}/${SAMPLE.healthy}?%C3%A5r=2024&regnskapstype=SELSKAP`)
    expect(company2024.json).toMatchObject([
      { regnskapstype: 'SELSKAP', regnskapsperiode: { tilDato: '2024-12-31' } },
    ])
    expect(await get(`${REGNSKAP}/${SAMPLE.healthy}?%C3%A5r=2010`)).toMatchObject({ status: 404, text: '' })
    expect(await get(`${REGNSKAP}/${SAMPLE.bank}`)).toMatchObject({
      status: 500,
      json: { status: '500', message: expect.stringContaining('(BANK)') },
    })
  })

  test('announcements are ISO-8859-1, say a repeated date once, and are 200 whatever is wrong', async () => {
    const page = await get(KUNNGJORINGER + SAMPLE.healthy)
    expect(page).toMatchObject({ status: 200, type: 'text/html;charset=ISO-8859-1' })
    const html = page.bytes.toString('latin1')
    expect(html).toContain('Godkjente årsregnskap')
    expect(html.match(/30\.06\.2026/g)).toHaveLength(1)
    expect(html.match(/<tr bgcolor="#ffffff">/g)).toHaveLength(6)
    const none = await get(KUNNGJORINGER + UNKNOWN_NUMBER)
    expect(none.bytes.toString('latin1')).toContain('Det finnes ingen kunngjøringer')
    const invalid = await get(`${KUNNGJORINGER}abc`)
    expect(invalid).toMatchObject({ status: 200, text: expect.stringContaining('Ugyldig input') })
    expect((await get('/kunngjoring/api/')).status).toBe(302)
  })

  test('KLASS serves the correspondence and the code list of the day asked for', async () => {
    const table = await get(`${KLASS}/correspondencetables/2919`)
    expect(table.json).toMatchObject({ correspondenceMaps: expect.arrayContaining([expect.anything()]) })
    const codesOf = async (date: string) => {
      const { json } = await get(`${KLASS}/classifications/6/codesAt?date=${date}`)
      return (json as { codes: { code: string }[] }).codes.map(({ code }) => code)
    }
    expect(await codesOf('2024-06-01')).toContain('10.209')
    expect(await codesOf('2026-06-01')).not.toContain('10.209')
    expect((await get(`${KLASS}/classifications/6/codesAt?date=1990-01-01`)).status).toBe(404)
    expect((await get(`${KLASS}/classifications/6/codesAt`)).status).toBe(400)
  })

  test('what is set is served from then on, and null takes it away', async () => {
    standIn.set(SAMPLE.healthy, 'roller', { status: 200, json: { rollegrupper: [] } })
    expect((await get(`${ENHETER}/${SAMPLE.healthy}/roller`)).json).toEqual({ rollegrupper: [] })
    standIn.set(SAMPLE.healthy, 'enhet', null)
    expect((await get(`${ENHETER}/${SAMPLE.healthy}`)).status).toBe(404)
    expect((await get(`${ENHETER}/${SAMPLE.healthy}/roller`)).status).toBe(200)
  })

  test('what is set in one stand-in is not set in another with the same catalogue', async () => {
    const answers = sampleAnswers()
    const other = await startRegisterStandIn({ answers })
    other.set(SAMPLE.healthy, 'enhet', null)
    await other.close()
    expect(answers.companies.get(SAMPLE.healthy)).toHaveProperty('enhet')
  })
})

describe('search answers as the register does', () => {
  test('words are ORed, so AS alone brings in nearly everything; the best match is still first', async () => {
    const hits = await namesFor('navn=TINDEVÅG SJØMAT AS')
    expect(hits[0]).toBe('TINDEVÅG SJØMAT AS')
    expect(hits).toContain('SNARVEI BUDBIL ØST AS')
  })

  test('FORTLOEPENDE takes the text as it stands, anywhere in the name, deleted ones never', async () => {
    expect((await namesFor('navn=tindevåg&navnMetodeForSoek=FORTLOEPENDE')).sort()).toEqual([
      'NYE TINDEVÅG BRYGGE AS',
      'NYE TINDEVÅG BRYGGE AS KONKURSBO',
      'TINDEVÅG AS',
      'TINDEVÅG FRYSERI AS',
      'TINDEVÅG KOMMUNE',
      'TINDEVÅG SJØMAT AS',
    ])
    expect(await namesFor('navn=tindevåg as&navnMetodeForSoek=FORTLOEPENDE')).toEqual(['TINDEVÅG AS'])
  })

  test('no Nordic folding, and nothing found means no _embedded at all', async () => {
    const { json } = await get(`${ENHETER}?navn=tindevag&navnMetodeForSoek=FORTLOEPENDE`)
    expect(json).toMatchObject({ page: { totalElements: 0, totalPages: 0 } })
    expect(json).not.toHaveProperty('_embedded')
  })

  test('pages are counted from zero and never reach past 10 000', async () => {
    const { json } = await get(`${ENHETER}?navn=AS&size=2&page=1&sort=navn,ASC`)
    expect(json).toMatchObject({ page: { size: 2, number: 1 }, _links: { prev: {}, next: {} } })
    expect((await get(`${ENHETER}?size=10000&page=0`)).status).toBe(200)
    expect((await get(`${ENHETER}?size=10000&page=1`)).status).toBe(400)
    expect((await get(`${ENHETER}?size=20000`)).status).toBe(400)
  })

  test('unknown parameters and unknown methods are a 400', async () => {
    for (const query of ['underRekonstruksjon=true', 'navn=a&navnMetodeForSoek=EKSAKT', 'navn=', 'size=ti']) {
      expect(await get(`${ENHETER}?${query}`), query).toMatchObject({ status: 400, json: { antallFeil: 1 } })
    }
  })

  test('filters narrow, and sub-units are searched on their own', async () => {
    expect(await namesFor('konkurs=true')).toEqual(['NYE TINDEVÅG BRYGGE AS'])
    expect((await namesFor('naeringskode=94.99')).length).toBe(2)
    const { json } = await get(`${UNDERENHETER}?overordnetEnhet=${SAMPLE.healthy}`)
    expect(json).toMatchObject({ _embedded: { underenheter: [{ organisasjonsnummer: SAMPLE.subUnit }] } })
  })

  async function namesFor(query: string): Promise<string[]> {
    const { json } = await get(`${ENHETER}?${encodeURI(query)}`)
    const page = json as { _embedded?: { enheter: { navn: string }[] } }
    return page._embedded?.enheter.map(({ navn }) => navn) ?? []
  }
})

describe('change feeds answer as the register does', () => {
  const FEED = '/enhetsregisteret/api/oppdateringer'

  test('units: oppdateringsid is inclusive, ids rise with gaps, an empty page has no _embedded', async () => {
    expect((await get(`${FEED}/enheter`)).json).not.toHaveProperty('_embedded')
    const ids = [1, 2, 3].map(() => publishChange(SAMPLE.healthy))
    expect(ids[2]).toBeGreaterThan((ids[0] ?? 0) + 2)
    const { json } = await get(`${FEED}/enheter?oppdateringsid=${ids[1]}&size=1`)
    expect(json).toMatchObject({
      _embedded: { oppdaterteEnheter: [{ oppdateringsid: ids[1], endringstype: 'Endring' }] },
      page: { totalElements: 2 },
    })
  })

  test('units: patches come only when asked for, sub-units under their own name', async () => {
    publishChange(SAMPLE.healthy)
    standIn.publish('underenheter', { organisasjonsnummer: SAMPLE.subUnit, endringstype: 'Ny' })
    const without = await get(`${FEED}/enheter`)
    expect(without.text).not.toContain('endringer')
    const patched = await get(`${FEED}/enheter?includeChanges=true`)
    expect(patched.json).toMatchObject({
      _embedded: { oppdaterteEnheter: [{ endringer: [{ op: 'replace' }] }] },
    })
    const sub = await get(`${FEED}/underenheter`)
    expect(sub.json).toMatchObject({ _embedded: { oppdaterteUnderenheter: [{ endringstype: 'Ny' }] } })
  })

  test('units: dato is inclusive and strict; one bad number refuses the whole list', async () => {
    const dato = '2026-10-01T22:01:00.000Z'
    standIn.publish('enheter', { organisasjonsnummer: SAMPLE.healthy, endringstype: 'Ny' }, { dato })
    const { json } = await get(`${FEED}/enheter?dato=${dato}`)
    expect(json).toMatchObject({ page: { totalElements: 1 } })
    const later = await get(`${FEED}/enheter?dato=2026-10-01T22:01:00.001Z`)
    expect(later.json).toMatchObject({ page: { totalElements: 0 } })
    expect(await get(`${FEED}/enheter?dato=2026-10-01`)).toMatchObject({
      status: 400,
      type: 'application/json;charset=UTF-8',
      json: { valideringsfeil: [{ parametere: ['dato'], feilaktigVerdi: '2026-10-01' }] },
    })
    const numbers = await get(`${FEED}/enheter?organisasjonsnummer=${SAMPLE.healthy},12`)
    expect(numbers.status).toBe(400)
  })

  test('units: sort=id,DESC with size 1 gives the newest', async () => {
    publishChange(SAMPLE.healthy)
    const newest = publishChange(SAMPLE.bankrupt)
    const { json } = await get(`${FEED}/enheter?size=1&sort=id,DESC`)
    expect(json).toMatchObject({ _embedded: { oppdaterteEnheter: [{ oppdateringsid: newest }] } })
  })

  test('roles: a bare array of CloudEvents with text ids, afterId exclusive, the units’ parameters refused', async () => {
    expect((await get(`${FEED}/roller`)).json).toEqual([])
    const first = standIn.publish('roller', { organisasjonsnummer: SAMPLE.healthy })
    const second = standIn.publish('roller', { organisasjonsnummer: SAMPLE.usd })
    const { json, type } = await get(`${FEED}/roller?afterId=${first}`)
    expect(type).toContain('application/cloudevents-batch+json')
    expect(json).toMatchObject([{ id: String(second), data: { organisasjonsnummer: SAMPLE.usd } }])
    expect((await get(`${FEED}/roller?afterTime=2099-01-01T00:00:00.000Z`)).json).toEqual([])
    expect((await get(`${FEED}/roller?oppdateringsid=1`)).status).toBe(400)
    expect((await get(`${FEED}/roller?dato=2026-10-01T00:00:00.000Z`)).status).toBe(400)
  })

  test('a lower id starts the feed anew, and old events can be forgotten', async () => {
    publishChange(SAMPLE.healthy)
    const kept = publishChange(SAMPLE.usd)
    standIn.forgetBefore('enheter', kept)
    expect((await get(`${FEED}/enheter`)).json).toMatchObject({ page: { totalElements: 1 } })
    standIn.forgetBefore('enheter', kept + 1)
    expect(publishChange(SAMPLE.usd)).toBeGreaterThan(kept)
    standIn.publish('enheter', { organisasjonsnummer: SAMPLE.usd, endringstype: 'Ny' }, { id: 7 })
    const { json } = await get(`${FEED}/enheter`)
    expect(json).toMatchObject({
      _embedded: { oppdaterteEnheter: [{ oppdateringsid: 7 }] },
      page: { totalElements: 1 },
    })
  })

  function publishChange(organisasjonsnummer: string): number {
    const endringer = [{ op: 'replace', path: '/sisteInnsendteAarsregnskap', value: '2025' }]
    return standIn.publish('enheter', { organisasjonsnummer, endringstype: 'Endring', endringer })
  }
})

describe('calls are counted', () => {
  test('per source, per company, and all together, until reset', async () => {
    await get(`${ENHETER}/${SAMPLE.healthy}`, { 'user-agent': 'prøve' })
    await get(`${ENHETER}/${SAMPLE.usd}`)
    await get(`${ENHETER}/${SAMPLE.usd}/roller`)
    expect(standIn.calls.count()).toBe(3)
    expect(standIn.calls.count('enhet')).toBe(2)
    expect(standIn.calls.count('enhet', SAMPLE.usd)).toBe(1)
    expect(standIn.calls.count('regnskap')).toBe(0)
    expect(standIn.calls.last('enhet')?.path).toBe(`${ENHETER}/${SAMPLE.usd}`)
    standIn.calls.reset()
    expect(standIn.calls.count()).toBe(0)
    expect(standIn.calls.last('enhet')).toBeNull()
  })

  test('the most in flight at one moment is remembered, and falls when clients leave', async () => {
    standIn.setFault('roller', { kind: 'hang' })
    const leave = new AbortController()
    const waiting = [SAMPLE.healthy, SAMPLE.usd, SAMPLE.bank].map((orgnr) =>
      get(`${ENHETER}/${orgnr}/roller`, {}, leave.signal).catch(() => 'left'),
    )
    await vi.waitFor(() => expect(standIn.calls.inFlight('roller')).toBe(3))
    leave.abort()
    expect(await Promise.all(waiting)).toEqual(['left', 'left', 'left'])
    await vi.waitFor(() => expect(standIn.calls.inFlight('roller')).toBe(0))
    expect(standIn.calls.maxInFlight('roller')).toBe(3)
    expect(standIn.calls.maxInFlight('enhet')).toBe(0)
  })
})

describe('each fault does what its word says', () => {
  const path = `${ENHETER}/${SAMPLE.healthy}`
  let right: Buffer

  beforeAll(async () => {
    const quiet = await startRegisterStandIn({ answers: sampleAnswers() })
    right = Buffer.from(await (await fetch(quiet.url + path)).arrayBuffer())
    await quiet.close()
  })

  test('delay and drip still give the right answer', async () => {
    standIn.setFault('enhet', { kind: 'delay', ms: 5 })
    expect((await get(path)).bytes).toEqual(right)
    standIn.setFault('enhet', { kind: 'drip', chunkBytes: 500, everyMs: 1 })
    expect((await get(path)).bytes).toEqual(right)
  })

  test('hold answers with what was known when the request came', async () => {
    const gate = Promise.withResolvers<void>()
    standIn.setFault('enhet', { kind: 'hold', until: gate.promise })
    const held = get(path)
    await vi.waitFor(() => expect(standIn.calls.inFlight('enhet')).toBe(1))
    standIn.set(SAMPLE.healthy, 'enhet', { status: 410, json: {} })
    gate.resolve()
    expect((await held).status).toBe(200)
  })

  test('hang answers nothing, and closing the stand-in ends it', async () => {
    standIn.setFault('enhet', { kind: 'hang' })
    const hanging = get(path).then(
      () => 'answered',
      () => 'ended',
    )
    await vi.waitFor(() => expect(standIn.calls.inFlight('enhet')).toBe(1))
    await standIn.close()
    expect(await hanging).toBe('ended')
    standIn = await startRegisterStandIn({ answers: sampleAnswers() })
  })

  test('refuse and reset break the connection, before and in the middle of the answer', async () => {
    standIn.setFault('enhet', { kind: 'refuse' })
    await expect(fetch(standIn.url + path)).rejects.toThrow()
    standIn.setFault('enhet', { kind: 'reset' })
    await expect(get(path)).rejects.toThrow()
    await expect(get(`${ENHETER}/${UNKNOWN_NUMBER}`)).rejects.toThrow()
    expect((await get(`${path}/roller`)).status).toBe(200)
  })

  test('refuse for everything ends a connection before anything is sent on it', async () => {
    standIn.setFault('alle', { kind: 'refuse' })
    const socket = connect(Number(new URL(standIn.url).port), '127.0.0.1')
    const ended = await new Promise((resolve) => {
      socket.once('error', resolve)
      socket.once('close', resolve)
    })
    expect(ended).toBeDefined()
    expect(standIn.calls.count()).toBe(0)
    standIn.clearFaults()
    expect((await get(path)).status).toBe(200)
  })

  test('status gives any status, headers and text, so many times', async () => {
    const fault = { kind: 'status', code: 429, headers: { 'retry-after': '3' }, body: '{}' } as const
    standIn.setFault('enhet', fault, { times: 1 })
    const refused = await fetch(standIn.url + path)
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe('3')
    expect((await get(path)).status).toBe(200)
  })

  test('html is a page with status 200; redirect leads where no register is', async () => {
    standIn.setFault('enhet', { kind: 'html' })
    expect(await get(path)).toMatchObject({ status: 200, type: 'text/html;charset=UTF-8', json: undefined })
    standIn.setFault('enhet', { kind: 'redirect' })
    const redirected = await get(path)
    expect(redirected).toMatchObject({ status: 302, location: `/omdirigert${path}` })
    await fetch(standIn.url + path)
    expect(standIn.calls.count('ukjent')).toBe(1)
  })

  test('truncated ends as if it were whole, and can not be parsed', async () => {
    standIn.setFault('enhet', { kind: 'truncated' })
    const half = await get(path)
    expect(half).toMatchObject({ status: 200, json: undefined })
    expect(half.bytes.length).toBe(right.length >> 1)
  })

  test('huge is the right answer behind so many spaces, its length not told', async () => {
    standIn.setFault('enhet', { kind: 'huge', bytes: 300_000 })
    const response = await fetch(standIn.url + path)
    expect(response.headers.get('content-length')).toBeNull()
    const text = await response.text()
    expect(text).toHaveLength(300_000 + right.toString().length)
    expect(text.trim()).toBe(right.toString())
  })

  test('wrongShape keeps the names and the number, wrongCompany only changes who it is about', async () => {
    standIn.setFault('alle', { kind: 'wrongShape' })
    expect((await get(path)).json).toMatchObject({
      organisasjonsnummer: SAMPLE.healthy,
      navn: { tekst: 'TINDEVÅG SJØMAT AS' },
      organisasjonsform: [{ kode: 'AS' }],
      konkurs: 'false',
    })
    expect(Array.isArray((await get(`${REGNSKAP}/${SAMPLE.healthy}`)).json)).toBe(false)
    expect((await get(KUNNGJORINGER + SAMPLE.healthy)).text).not.toContain('<tr')
    standIn.setFault('alle', { kind: 'wrongCompany' })
    for (const asked of [path, `${path}/roller`, KUNNGJORINGER + SAMPLE.healthy]) {
      const { text } = await get(asked)
      expect(text).toContain('900000006')
      expect(text).not.toContain(SAMPLE.healthy)
    }
  })

  test('a fault of one company leaves the others alone; the closest fault counts', async () => {
    standIn.setFault('alle', { kind: 'status', code: 500 })
    standIn.setFault('enhet', { kind: 'status', code: 502 })
    standIn.setFault('enhet', { kind: 'status', code: 503 }, { orgnr: SAMPLE.usd })
    expect((await get(`${ENHETER}/${SAMPLE.usd}`)).status).toBe(503)
    expect((await get(path)).status).toBe(502)
    expect((await get(`${path}/roller`)).status).toBe(500)
    standIn.clearFaults()
    expect((await get(path)).status).toBe(200)
  })
})

/** One GET, without following redirects. `json` is undefined when the body is none. */
async function get(path: string, headers: Record<string, string> = {}, signal?: AbortSignal) {
  const response = await fetch(standIn.url + path, {
    headers,
    redirect: 'manual',
    ...(signal === undefined ? {} : { signal }),
  })
  const bytes = Buffer.from(await response.arrayBuffer())
  const text = bytes.toString()
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    json = undefined
  }
  const type = response.headers.get('content-type')
  return { status: response.status, type, location: response.headers.get('location'), bytes, text, json }
}
