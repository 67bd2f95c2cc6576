import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PUBLIC_TEST_KEY } from '#src/access/public-test-key.ts'
import { companyTools } from '#src/api/agents/tools.ts'
import { SAMPLE, sampleAnswers } from '../fixtures/samples/index.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { startTestService, type TestService } from '../support/service.ts'

const run = promisify(execFile)
const project = fileURLToPath(new URL('../..', import.meta.url))

/** In a place of their own: with what they bring they are as large as half of what the tests are run with. */
const JUDGES = ['@modelcontextprotocol/inspector@2.12.0', '@modelcontextprotocol/conformance@0.1.16']

/** Those of the suite that are of every server. The others ask for tools, resources and prompts of its own example by name. */
const SCENARIOS = ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection']

let folder: string
let register: RegisterStandIn
let service: TestService
let bridge: Server
let bridged: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'oppslag-agents-'))
  await cp(join(project, '.npmrc'), join(folder, '.npmrc'))
  await writeFile(join(folder, 'package.json'), '{ "private": true }')
  await run('npm', ['install', '--no-package-lock', '--no-audit', '--no-fund', ...JUDGES], { cwd: folder })
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
  await rm(folder, { recursive: true, force: true })
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

const judge = (name: string, parameters: readonly string[]) =>
  run(process.execPath, [join(folder, 'node_modules/.bin', name), ...parameters], { cwd: folder })

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
