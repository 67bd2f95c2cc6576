import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SAMPLE } from '../../fixtures/samples/index.ts'
import { eventually } from '../../support/eventually.ts'
import { openSlowSockets, sendRaw } from '../../support/hostile-clients.ts'
import { residentBytes } from '../../support/process-costs.ts'
import { type ServiceProcess, startProcess } from '../../support/processes.ts'
import { startSteadyLoad } from '../../support/steady-load.ts'
import { type Surroundings, startSurroundings } from '../../support/surroundings.ts'

const MEGABYTE = 1024 * 1024
const PROGRAMS = new Set(['/api/bedrift/oppslag', '/api/bedrift/bestillinger', '/api/overvaking', '/mcp'])

/** For minutes on end: `test/heavy/hostile-clients.test.ts`. */
describe('P38: hostile clients', () => {
  let around: Surroundings
  let front: ServiceProcess

  beforeAll(async () => {
    around = await startSurroundings()
    // Without the announcements, whose bound of their own is too short for a busy machine: every answer is the same.
    front = await startProcess('api', { ...around.variables(), KUNNGJORINGER: 'av' })
  })
  afterAll(async () => {
    await front.end('SIGKILL')
    await around.close()
  })

  it('500 that begin a request and go on for ever are closed, and nobody else notices them', async () => {
    const load = startSteadyLoad(front.address, {
      token: around.token,
      orgnr: SAMPLE.healthy,
      clients: 4,
      pauseMs: 10,
    })
    await eventually('the load is on', () => load.answered > 100)
    const slow = [
      openSlowSockets(front.address, 300, { begins: 'GET / HTTP/1.1\r\nhost: x\r\n', drips: 'a: b\r\n' }),
      openSlowSockets(front.address, 100, { begins: 'GET / HTTP/1.1\r\nhost: x\r\n' }),
      openSlowSockets(front.address, 100, {
        begins:
          'POST /api/bedrift/sok HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9999\r\n\r\n',
        drips: '1',
      }),
    ]
    try {
      const before = load.answered
      await eventually('the load goes on', () => load.answered > before + 100)
      await eventually('they are closed', () => slow.every(({ open }) => open === 0))
      const statuses = new Set(slow.flatMap(({ answers }) => answers).map((answer) => answer.slice(0, 12)))
      expect([...statuses]).toEqual(['HTTP/1.1 408'])
    } finally {
      for (const each of slow) each.end()
      await load.stop()
    }
    expect([load.broken, [...load.statuses], load.texts.size]).toEqual([0, [200], 1])
  })

  it('a byte a second of a body, at every address that takes one, is waited for no longer than that', async () => {
    const addresses = [
      ...['/api/bedrift/oppslag', '/api/bedrift/bestillinger', '/api/overvaking', '/mcp'],
      ...['/api/avstemming', '/dokumentasjon/sandkasse', '/nokler'],
      ...['/liste', '/logg-inn', '/logg-ut', '/kjop', '/kjop/betal', '/bytt-nokkel', '/nokkel/forny/x'],
    ]
    const slow = addresses.map((address) => {
      const head = [
        `POST ${address} HTTP/1.1`,
        'host: x',
        ...(address.startsWith('/api/') || address === '/mcp'
          ? [`authorization: Bearer ${around.token}`]
          : []),
        `content-type: ${PROGRAMS.has(address) ? 'application/json' : 'application/x-www-form-urlencoded'}`,
        `idempotency-key: ${address}`,
        'content-length: 3000',
        '\r\n',
      ]
      return openSlowSockets(front.address, 1, { begins: head.join('\r\n'), drips: 'a' })
    })
    try {
      await eventually('they are closed', () => slow.every(({ open }) => open === 0))
      const told = slow.map(
        ({ answers: [answer = ''] }, index) => `${addresses[index]} ${answer.slice(9, 12)}`,
      )
      expect(told).toEqual(addresses.map((address) => `${address} 408`))
    } finally {
      for (const each of slow) each.end()
    }
  })

  it('headers of 64 KiB, bodies of 10 MiB and JSON that reaches for prototypes are refused, at no cost in memory', async () => {
    const before = residentBytes(front.pid)
    const post = (body: string, length = body.length) =>
      `POST /api/bedrift/sok HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${body}`
    const headers = `GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(64 * 1024)}\r\n\r\n`
    for (let round = 0; round < 20; round++) {
      const statuses = await Promise.all([
        sendRaw(front.address, [headers]),
        sendRaw(front.address, [post('', 10 * MEGABYTE)]),
        sendRaw(front.address, [post('{"__proto__":{"erLeder":true}}')]),
        sendRaw(front.address, [post('{"constructor":{"prototype":{"erLeder":true}}}')]),
      ])
      expect(statuses).toEqual([431, 413, 400, 400])
      // Whoever sends all of it, without looking for an answer, is broken off, and may not get to read why.
      const flood = sendRaw(front.address, large(10 * MEGABYTE, post('', 10 * MEGABYTE)))
      expect([413, null]).toContain(await flood)
    }
    // 200 MB of bodies and a MB of headers were sent.
    expect(residentBytes(front.pid) - before).toBeLessThan(64 * MEGABYTE)
    expect((await fetch(`${front.address}/health/ready`)).status).toBe(200)
  })
})

function* large(bytes: number, head: string): Iterable<string | Buffer> {
  const block = Buffer.alloc(64 * 1024, 'x')
  yield head
  for (let sent = 0; sent < bytes; sent += block.length) yield block
}
