import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PUBLIC_TEST_KEY } from '#src/access/public-test-key.ts'
import { SAMPLE, sampleAnswers } from '#test/fixtures/samples/index.ts'
import { heldBytes } from '#test/support/held-bytes.ts'
import { type RegisterStandIn, startRegisterStandIn } from '#test/support/register-stand-in.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const MEGABYTE = 1024 * 1024
const NEWEST = '2026-07-28'

let register: RegisterStandIn
let service: TestService
let folder: string
let logFile: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agents-'))
  logFile = join(folder, 'log')
  register = await startRegisterStandIn({ answers: sampleAnswers() })
  service = await startTestService(register, {
    workers: false,
    variables: { LOG_LEVEL: 'info', LOG_FILE: logFile },
  })
})
afterAll(async () => {
  await service.close()
  await register.close()
  await rm(folder, { recursive: true })
})

/** With the key that everybody has. A request that is never answered fails. */
async function send(message: unknown, headers: Record<string, string> = {}) {
  const answer = await fetch(`${service.address}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${PUBLIC_TEST_KEY}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(message),
    signal: AbortSignal.timeout(60_000),
  })
  return { status: answer.status, text: await answer.text() }
}

const call = (id: number) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'roller', arguments: { organisasjonsnummer: SAMPLE.healthy } },
})

describe('P98: an agent that means harm', () => {
  it('leaves nothing behind, however often it asks', async () => {
    const many = async (count: number) => {
      for (let done = 0; done < count; done += 1) expect((await send(call(done))).status).toBe(200)
    }
    await many(100)
    const before = heldBytes()
    await many(150)
    expect(heldBytes() - before).toBeLessThan(2 * MEGABYTE)
  })

  it('that takes its question back in the same breath waits for nothing', async () => {
    const takenBack = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }
    const { status, text } = await send([call(1), takenBack])
    expect([status, JSON.parse(text).kode]).toEqual([400, 'ugyldig_parameter'])
  })

  it('that asks for a hundred things at once is refused', async () => {
    const { status } = await send(Array.from({ length: 100 }, (_, id) => call(id)))
    expect(status).toBe(400)
  })

  it('that wants to be told of what changes is told that nothing does, and not kept', async () => {
    const listen = {
      jsonrpc: '2.0',
      id: 1,
      method: 'subscriptions/listen',
      params: {
        notifications: { toolsListChanged: true },
        _meta: {
          'io.modelcontextprotocol/protocolVersion': NEWEST,
          'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }
    const headers = { 'mcp-protocol-version': NEWEST, 'mcp-method': listen.method }
    const { status, text } = await send(listen, headers)
    expect(status).toBe(200)
    expect(text).toContain('"resultType":"complete"')
  })

  it.each([
    [{}],
    [undefined],
    [{ protocolVersion: 1, capabilities: {}, clientInfo: { name: 'x', version: '1' } }],
    [{ protocolVersion: '2025-06-18', capabilities: {} }],
    [{ protocolVersion: '2025-06-18', clientInfo: { name: 'x', version: '1' } }],
  ])(
    'P98: attack: that begins with %j is told that what it sent is wrong, not that the service is',
    async (params) => {
      const { status, text } = await send({ jsonrpc: '2.0', id: 7, method: 'initialize', params })
      expect(status).toBeLessThan(500)
      expect(text).toContain('-32602')
      expect(text).toContain('"id":7')
    },
  )

  it('that asks what can not be understood is told so, and is no fault of the service', async () => {
    const wrong = [
      await send({}),
      await send(null),
      await send('x'),
      await send(call(1), { 'mcp-protocol-version': 'bo_live_hemmelig' }),
      await send(call(1), { accept: 'text/html' }),
      await send({ ...call(1), params: { name: 'roller', arguments: { __proto__: 1, constructor: 2 } } }),
      await send({ ...call(1), method: 'constructor' }),
      await send({ ...call(1), params: { name: '__proto__', arguments: {} } }),
    ]
    for (const { status } of wrong) expect(status).toBeLessThan(500)
    const log = await readFile(logFile, 'utf8')
    expect(log).toContain('"rute":"/mcp"')
    expect(log).not.toContain('"level":50')
    expect(log).not.toContain('hemmelig')
  })
})
