import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PUBLIC_TEST_KEY } from '#src/access/public-test-key.ts'
import { companyTools } from '#src/api/agents/tools.ts'
import { SAMPLE, sampleAnswers } from '../fixtures/samples/index.ts'
import { openJudges } from '../support/judges.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { startTestService, type TestService } from '../support/service.ts'

/** Those of the suite that are of every server. The others ask for tools, resources and prompts of its own example by name. */
const SCENARIOS = ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection']

let judge: Awaited<ReturnType<typeof openJudges>>['command']
let register: RegisterStandIn
let service: TestService
let bridge: Server
let bridged: string

beforeAll(async () => {
  judge = (await openJudges()).command
  bridge = await startBridge(() => service.address)
  bridged = `http://127.0.0.1:${(bridge.address() as AddressInfo).port}`
  register = await startRegisterStandIn({ answers: sampleAnswers() })
  // What a page of its own would say in Origin is the address it is reached at.
  service = await startTestService(register, { workers: false, variables: { PUBLIC_URL: bridged } })
}, 300_000)
afterAll(async () => {
  bridge?.close()
  await service?.close()
  await register?.close()
})

/** Sends a key along, which the suite can not. */
async function startBridge(to: () => string): Promise<Server> {
  const server = createServer(async (asked, answer) => {
    const {
      'content-length': _,
      connection: __,
      'transfer-encoding': ___,
      host: ____,
      ...headers
    } = asked.headers
    const body = await buffer(asked)
    const told = await request(to() + asked.url, {
      method: asked.method as 'GET' | 'POST',
      headers: { ...headers, authorization: `Bearer ${PUBLIC_TEST_KEY}` },
      body: body.length === 0 ? null : body,
    })
    answer.writeHead(told.statusCode, told.headers)
    told.body.pipe(answer)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

describe('P95: agents, by the judges of the protocol', () => {
  it.each(SCENARIOS)('the conformance suite finds nothing to mend (%s)', async (scenario) => {
    const { stdout } = await judge('conformance', [
      'server',
      '--url',
      `${bridged}/mcp`,
      '--scenario',
      scenario,
    ])
    expect(stdout).toMatch(/Passed: (\d+)\/\1, 0 failed, 0 warnings/)
  })

  const inspect = async (...parameters: string[]) => {
    const asked = ['--cli', `${service.address}/mcp`, '--transport', 'http', '--header']
    const key = `Authorization: Bearer ${PUBLIC_TEST_KEY}`
    const { stdout } = await judge('mcp-inspector', [...asked, key, ...parameters])
    return JSON.parse(stdout)
  }

  it('the inspector lists the tools, and finds their schemas fit for every client', async () => {
    const { tools } = await inspect('--method', 'tools/list', '--strict')
    expect(tools.map(({ name }: { name: string }) => name)).toEqual([
      'finn_foretak',
      ...companyTools.map(({ name }) => name),
    ])
  })

  it.each(companyTools.map(({ name }) => name))('the inspector is answered by %s', async (name) => {
    const number = `organisasjonsnummer="${SAMPLE.healthy}"`
    const answer = await inspect('--method', 'tools/call', '--tool-name', name, '--tool-arg', number)
    expect(answer.structuredContent.organisasjonsnummer).toBe(SAMPLE.healthy)
    expect(JSON.parse(answer.content[0].text)).toEqual(answer.structuredContent)
  })
})
