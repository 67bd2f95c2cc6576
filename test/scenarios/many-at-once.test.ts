import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { pipeline, type Transform } from 'node:stream'
import { text as textOf } from 'node:stream/consumers'
import { createBrotliDecompress, createGunzip, createZstdDecompress } from 'node:zlib'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SAMPLE } from '#test/fixtures/samples/index.ts'
import { eventually } from '../support/eventually.ts'
import { answersWithCopies, inventNumbers } from '../support/invented-companies.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { issueToken, startTestService, type TestService } from '../support/service.ts'

const numbers = inventNumbers(520)
const few = numbers.slice(0, 8)

let register: RegisterStandIn
let service: TestService
let logFile: string

beforeAll(async () => {
  logFile = join(await mkdtemp(join(tmpdir(), 'oppslag-')), 'log')
  register = await startRegisterStandIn({ answers: answersWithCopies(numbers.slice(0, 50)) })
  service = await startTestService(register, {
    isLoaded: true,
    workers: false,
    variables: { KUNNGJORING_CALLS_PER_SECOND: '1000', LOG_LEVEL: 'info', LOG_FILE: logFile },
  })
})
afterAll(async () => {
  await service.close()
  await register.close()
  await rm(dirname(logFile), { recursive: true })
})

type Told = { status: number; headers: Headers; text: string }

async function ask(
  body: string,
  { type = 'application/json', accept = '*/*', query = '', signal }: Wish = {},
): Promise<Told> {
  const answer = await fetch(`${service.address}/api/bedrift/oppslag${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.token}`, 'content-type': type, accept },
    body,
    ...(signal && { signal }),
  })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

/** As it is sent, through what unpacks it; `fetch` would choose for itself. */
async function askPacked(encoding: string, accept: string, body: string, query = '') {
  const answer = await request(`${service.address}/api/bedrift/oppslag${query}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${service.token}`,
      'content-type': 'application/json',
      accept,
      'accept-encoding': encoding,
    },
    body,
  })
  const unpacking = unpack[encoding]?.() as Transform
  pipeline(answer.body, unpacking, () => {})
  return { headers: answer.headers, unpacking }
}
const unpack: Record<string, () => Transform> = {
  gzip: createGunzip,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
}

type Wish = { type?: string; accept?: string; query?: string; signal?: AbortSignal }

// biome-ignore lint/suspicious/noExplicitAny: lines are looked into
const linesIn = (text: string): any[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

describe('P93: many companies in one request', () => {
  it('are answered in the order asked, each as it would be alone, and the last line says that all are there', async () => {
    // Heard of in the middle of a list, others of it would be put together anew.
    await service.get(`/api/bedrift/${SAMPLE.removed}`)
    const alone = await service.get(`/api/bedrift/${few[0]}`)
    const list = [few[2], few[0], '901200998', 'tull', few[2], SAMPLE.removed, few[1]]
    const { status, headers, text } = await ask(JSON.stringify(list))
    expect([status, headers.get('content-type')]).toEqual([200, 'application/x-ndjson; charset=utf-8'])
    const lines = linesIn(text)
    const told = lines.map(({ organisasjonsnummer, oppgitt, foretak, feil }) => [
      organisasjonsnummer ?? oppgitt,
      foretak?.navn === undefined ? feil?.kode : 'foretak',
    ])
    expect(told).toEqual([
      [few[2], 'foretak'],
      [few[0], 'foretak'],
      ['901200998', 'ukjent_organisasjonsnummer'],
      ['tull', 'ugyldig_organisasjonsnummer'],
      [SAMPLE.removed, 'fjernet'],
      [few[1], 'foretak'],
      [undefined, undefined],
    ])
    expect(lines.at(-1)).toEqual({
      oppsummering: {
        linjer: 6,
        foretak: 3,
        feil: 3,
        ufullstendige: 0,
        dubletter: 1,
        provIgjenEtter: null,
      },
    })
    expect(lines[1].foretak).toEqual(alone.body)
  })

  it('may be given as text or CSV, and fields may be chosen: then only their sources are asked', async () => {
    const fresh = numbers.slice(8, 11)
    const before = register.calls.count()
    const text = await ask(`${fresh.join('\r\n')}\r\n`, { type: 'text/plain', query: '?felt=navn,roller' })
    expect(linesIn(text.text).map(({ foretak }) => foretak && Object.keys(foretak))).toEqual([
      ...fresh.map(() => ['organisasjonsnummer', 'navn', 'roller', 'komplett', 'kilder']),
      undefined,
    ])
    expect(register.calls.count() - before).toBe(6)
    const csv = await ask(`Kunde;Orgnr\r\n"Ås; AS";${fresh[0]}\r\nB;${fresh[1]}\r\n`, {
      type: 'text/csv; charset=utf-8',
      query: '?felt=navn',
    })
    expect(linesIn(csv.text).map(({ organisasjonsnummer }) => organisasjonsnummer)).toEqual([
      fresh[0],
      fresh[1],
      undefined,
    ])
    expect(register.calls.count() - before).toBe(6)
  })

  it('are 500 at most, and what is no list is told what a list is', async () => {
    const wrong: [string, string?][] = [
      [JSON.stringify(numbers.slice(0, 501))],
      ['{}'],
      ['[]'],
      ['[null]'],
      [' \n ', 'text/plain'],
      ['"a\nb', 'text/csv'],
    ]
    for (const [body, type] of wrong) {
      const { status, text } = await ask(body, { ...(type && { type }) })
      expect([status, JSON.parse(text).kode], body.slice(0, 20)).toEqual([400, 'ugyldig_parameter'])
    }
    expect((await ask('<a/>', { type: 'application/xml' })).status).toBe(415)
    expect((await ask(`["${'9'.repeat(200_000)}"]`)).status).toBe(413)
    expect((await service.get('/api/bedrift/oppslag')).status).toBe(405)
  })

  it('take places of their own: whoever asks for one company meanwhile finds the others free', async () => {
    const crowd = numbers.slice(11, 41)
    register.setFault('roller', { kind: 'delay', ms: 20 })
    const before = register.calls.count('roller')
    const { text } = await ask(JSON.stringify(crowd), { query: '?felt=roller' })
    register.clearFaults()
    expect(linesIn(text).at(-1).oppsummering).toMatchObject({ foretak: 30, ufullstendige: 0 })
    expect(register.calls.count('roller') - before).toBe(30)
    expect(register.calls.maxInFlight('roller')).toBeLessThanOrEqual(8)
    expect(register.calls.maxInFlight('roller')).toBeGreaterThan(1)
  })

  it.each(['gzip', 'br', 'zstd'])(
    'are packed for who asks for it, lines and table alike (%s)',
    async (form) => {
      const list = JSON.stringify([few[0], few[1], 'tull'])
      const withoutIds = (text: string) => text.replace(/"foresporselId":"[^"]+"/g, '')
      for (const accept of ['application/x-ndjson', 'text/csv']) {
        const { headers, unpacking } = await askPacked(form, accept, list)
        expect([headers['content-encoding'], headers.vary]).toEqual([
          form,
          'Accept, Accept-Encoding, Accept-Language',
        ])
        const plain = await ask(list, { accept })
        expect(withoutIds(await textOf(unpacking))).toBe(withoutIds(plain.text))
      }
    },
  )

  it.each(['gzip', 'br', 'zstd'])(
    'can be read line by line while the next is waited for (%s)',
    async (form) => {
      register.setFault('roller', { kind: 'hang' })
      const list = JSON.stringify([few[0], numbers[49]])
      const { unpacking } = await askPacked(form, 'application/x-ndjson', list, '?felt=roller')
      const [line] = await once(createInterface({ input: unpacking }), 'line')
      expect(JSON.parse(line).foretak.organisasjonsnummer).toBe(few[0])
      unpacking.destroy()
      register.clearFaults()
    },
  )

  it('P99: have places of their own: whoever leaves hundreds of lists unread takes none of another’s', async () => {
    await ask(JSON.stringify(few))
    const isOver = Promise.withResolvers<void>()
    register.setFault('enhet', { kind: 'hold', until: isOver.promise })
    const { hostname, port } = new URL(service.address)
    const body = JSON.stringify(numbers.slice(20))
    const list = [
      'POST /api/bedrift/oppslag?felt=navn HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${service.token}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      '',
      body,
    ].join('\r\n')
    const sockets = Array.from({ length: 20 }, () => connect({ host: hostname, port: Number(port) }))
    // Each would be a line beside the log, which nothing bounds.
    const warnings: unknown[] = []
    const warned = (warning: unknown) => warnings.push(warning)
    process.on('warning', warned)
    try {
      for (const socket of sockets) socket.on('error', () => {}).write(list.repeat(8))
      const other = await issueToken(service.storage)
      await eventually('they are under way', () => register.calls.inFlight('enhet') >= 8)
      const answer = await fetch(`${service.address}/api/bedrift/oppslag?felt=navn`, {
        method: 'POST',
        headers: { authorization: `Bearer ${other}`, 'content-type': 'application/json' },
        body: JSON.stringify(few),
      })
      expect(linesIn(await answer.text()).at(-1).oppsummering).toMatchObject({ foretak: few.length })
      // Of the 160 those that wait in line longer than they may are told to come again.
      const refused = await ask(JSON.stringify(few))
      expect([refused.status, JSON.parse(refused.text).kode]).toEqual([503, 'for_mange_oppslag'])
      expect(warnings).toEqual([])
    } finally {
      process.off('warning', warned)
      for (const socket of sockets) socket.destroy()
      isOver.resolve()
      register.clearFaults()
    }
    await eventually(
      'their places are free again',
      async () => (await ask(JSON.stringify(few))).status === 200,
    )
  })

  it('P128: are cut off with the client, which is told in the log, and nothing more is asked for it', async () => {
    const rest = numbers.slice(41, 50)
    register.setFault('roller', { kind: 'hang' })
    const leaving = new AbortController()
    const asked = ask(JSON.stringify(rest), { signal: leaving.signal })
    while (register.calls.inFlight('roller') === 0) await new Promise((resolve) => setImmediate(resolve))
    leaving.abort()
    await expect(asked).rejects.toThrow()
    register.clearFaults()
    expect((await ask(JSON.stringify(few))).status).toBe(200)
    const log = () => readFile(logFile, 'utf8')
    await eventually('P128: it has its line', async () =>
      /"rute":"\/api\/bedrift\/oppslag","status":499/.test(await log()),
    )
    expect(await log()).not.toContain('"level":50')
  })
})

describe('many companies as a table', () => {
  it('is one that Norwegian Excel opens: marks, columns, figures, and no formula', async () => {
    const { headers, text } = await ask(JSON.stringify([few[0], 'tull', '901200998']), { accept: 'text/csv' })
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present')
    const bytes = Buffer.from(text)
    expect(
      text.startsWith('organisasjonsnummer;navn;') || bytes.subarray(0, 3).toString('hex') === 'efbbbf',
    ).toBe(true)
    const rows = text.replace('\uFEFF', '').trimEnd().split('\r\n')
    const [head = '', first = '', wrong = '', unknown = ''] = rows
    expect(head.split(';').at(-1)).toBe('feil')
    expect(first).toMatch(new RegExp(`^${few[0]};`))
    expect(first).toContain(';ja;')
    expect(wrong).toMatch(/^tull;+ugyldig_organisasjonsnummer$/)
    expect(unknown).toMatch(/^901200998;+ukjent_organisasjonsnummer$/)
  })
})
