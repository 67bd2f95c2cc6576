import { execFileSync } from 'node:child_process'
import { connect } from 'node:net'
import { Client } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import { SAMPLE } from '../fixtures/samples/index.ts'
import { createBreakableConnection } from '../support/breakable-connection.ts'
import { eventually } from '../support/eventually.ts'
import { inventNumbers } from '../support/invented-companies.ts'
import { descriptors } from '../support/process-costs.ts'
import { type ServiceProcess, startProcess } from '../support/processes.ts'
import { startSteadyLoad } from '../support/steady-load.ts'
import { type Surroundings, startSurroundings } from '../support/surroundings.ts'

const CLIENTS = 8

describe('several fronts in one command', () => {
  let around: Surroundings

  beforeAll(async () => {
    around = await startSurroundings()
  })
  afterAll(() => around.close())

  const start = (more: Record<string, string> = {}) =>
    startProcess('fronts', {
      ...around.variables(),
      OPS_PORT: '0',
      WORKERS: '2',
      // They have a bound of their own, too short for a busy machine: one front's record would lack what another's has.
      KUNNGJORINGER: 'av',
      ...more,
    })

  it('one that is killed is replaced; who had answers goes on having them, whole, and the end is orderly', async () => {
    const fronts = await start()
    const load = startSteadyLoad(fronts.address, {
      token: around.token,
      orgnr: SAMPLE.healthy,
      clients: CLIENTS,
      pauseMs: 25,
    })
    try {
      await eventually('the load is on', () => load.answered > 10 * CLIENTS)
      const [killed = 0, other] = pidsOf(fronts)
      process.kill(killed, 'SIGKILL')
      // A start, on a machine that may be busy.
      await eventually('it is replaced', () => pidsOf(fronts).length === 3, 90_000)
      const before = load.answered
      await eventually('all go on', () => load.answered > before + 10 * CLIENTS)
      await load.stop()
      // The connections of the one that was killed, each of them once; nobody else noticed.
      expect(load.broken).toBeLessThanOrEqual(CLIENTS)
      // On a busy machine a part of it is refreshed late, and said to be stale meanwhile.
      const [record, ...others] = [...load.texts].map((text) =>
        JSON.parse(text.replaceAll('"utdatert"', '"fersk"')),
      )
      for (const other of others) expect(other).toEqual(record)
      expect(load.statuses).toEqual(new Set([200]))
      const [, , replacement = 0] = pidsOf(fronts)
      expect(new Set([killed, other, replacement]).size).toBe(3)
      expect(await fronts.end('SIGTERM')).toBe(0)
      for (const pid of [other ?? 0, replacement]) expect(isAlive(pid)).toBe(false)
    } finally {
      await load.stop()
      await fronts.end('SIGKILL')
    }
  })

  it('P37: attack: whoever was just handed to one that is killed is told so, and does not wait', async () => {
    const fronts = await start()
    try {
      const [hung = 0] = pidsOf(fronts)
      process.kill(hung, 'SIGSTOP')
      const { hostname, port } = new URL(fronts.address)
      let answered = 0
      const sockets = Array.from({ length: 6 }, () =>
        connect(Number(port), hostname)
          .on('error', () => {})
          .once('data', () => {
            answered += 1
          }),
      )
      for (const socket of sockets) socket.write('GET /status.json HTTP/1.1\r\nHost: x\r\n\r\n')
      // It has one that it says nothing of; the other has all the others.
      await eventually('the others are answered', () => answered === sockets.length - 1)
      const [waiting] = sockets.filter(({ bytesRead }) => bytesRead === 0)
      process.kill(hung, 'SIGKILL')
      await eventually('it is told', () => waiting?.destroyed === true)
      for (const socket of sockets) socket.destroy()
    } finally {
      await fronts.end('SIGKILL')
    }
  })

  it('P37: attack: one that hangs is ended and replaced, and who kept a connection to it is told and goes on', async () => {
    const fronts = await start()
    const agents = Array.from({ length: 6 }, () => new Client(fronts.address, { headersTimeout: 120_000 }))
    const ask = async (client: Client) => {
      const { statusCode, body } = await client.request({ method: 'GET', path: '/status.json' })
      await body.dump()
      return statusCode
    }
    const all = async () => (await Promise.allSettled(agents.map(ask))).map(({ status }) => status)
    try {
      // Each keeps its connection, to one or to the other.
      expect(new Set(await all())).toEqual(new Set(['fulfilled']))
      const [hung = 0, other = 0] = pidsOf(fronts)
      process.kill(hung, 'SIGSTOP')
      const meanwhile = await all()
      expect(new Set(meanwhile)).toEqual(new Set(['fulfilled', 'rejected']))
      // Who comes in the very moment may be handed to it still, and is told so.
      await eventually('all go on', async () => (await all()).every((status) => status === 'fulfilled'))
      await eventually('another is in its place', () => pidsOf(fronts).length === 3, 90_000)
      expect(isAlive(hung)).toBe(false)
      expect(isAlive(other)).toBe(true)
      expect(await fronts.end('SIGTERM')).toBe(0)
    } finally {
      await fronts.end('SIGKILL')
      await Promise.all(agents.map((client) => client.destroy()))
    }
  })

  it('P46: attack: one that is killed while the system has no descriptor left ends no other, and is replaced when it has', async () => {
    const fronts = await start()
    // Those it has it keeps.
    await killWhileBounded(fronts, { bound: 'nofile', none: '8:', enough: '1024:' })
  })

  it('P46: attack: one that is killed while the system starts no process, for whatever reason, ends no other, and is replaced when it does', async () => {
    const surroundings = 'x'.repeat(100_000)
    const fronts = await start({ LONG: surroundings, AS_LONG: surroundings })
    // A process is begun with as much as a quarter of its stack (execve(2)), and Node throws where it can not be.
    await killWhileBounded(fronts, {
      bound: 'stack',
      none: `${512 * 1024}:`,
      enough: `${8 * 1024 * 1024}:`,
    })
  })

  it('P43: attack: who connects and connects while no front takes any holds no more than a line, and another is answered', async () => {
    const fronts = await start()
    const { hostname, port } = new URL(fronts.address)
    let ended = 0
    const from = (localAddress: string) =>
      connect({ host: hostname, port: Number(port), localAddress })
        .on('error', () => {})
        .once('close', () => {
          ended += 1
        })
    const quiet = descriptors(fronts.pid)
    const halted = pidsOf(fronts)
    for (const pid of halted) process.kill(pid, 'SIGSTOP')
    const flood = Array.from({ length: policy.http.newcomersMax + 300 }, () => from('127.0.5.1'))
    const newcomer = from('127.0.5.2')
    let answer = ''
    newcomer.setEncoding('utf8').on('data', (text: string) => {
      answer += text
    })
    try {
      const held = () => descriptors(fronts.pid) - quiet
      await eventually('all were taken', () => held() + ended > flood.length)
      expect(held()).toBeLessThan(policy.http.newcomersMax + 100)
      newcomer.write('GET /status.json HTTP/1.1\r\nHost: x\r\n\r\n')
      for (const pid of halted) process.kill(pid, 'SIGCONT')
      await eventually('it is answered', () => answer.startsWith('HTTP/1.1 200'))
    } finally {
      for (const socket of [newcomer, ...flood]) socket.destroy()
      await fronts.end('SIGKILL')
    }
  })

  it('P37: one that is replaced while PostgreSQL is away takes no reader from those that answer without it', async () => {
    const way = await createBreakableConnection(around.storage.url)
    const fronts = await start({ DATABASE_URL: way.url })
    const ask = async () => {
      const answer = await fetch(`${fronts.address}/api/bedrift/${SAMPLE.healthy}`, {
        headers: { authorization: `Bearer ${around.token}`, connection: 'close' },
      })
      await answer.arrayBuffer()
      return answer.status
    }
    const statuses = async () => [await ask(), await ask(), await ask(), await ask()]
    try {
      // Each of the two has it, and knows the key.
      for (let times = 0; times < 4; times++) expect(await statuses()).toEqual([200, 200, 200, 200])
      await way.cut()
      const [killed = 0] = pidsOf(fronts)
      process.kill(killed, 'SIGKILL')
      const waits = () => fronts.output().includes('PostgreSQL is waited for')
      await eventually('the one in its place waits', waits, 90_000)
      for (let times = 0; times < 4; times++) expect(await statuses()).toEqual([200, 200, 200, 200])
      await way.restore()
      await eventually('it is there', () => pidsOf(fronts).length === 3, 90_000)
      expect(await statuses()).toEqual([200, 200, 200, 200])
    } finally {
      await fronts.end('SIGTERM')
      await way.close()
    }
  })

  it('P61: what the announcements page may be asked in a second is for all of them together', async () => {
    const PER_SECOND = 4
    const lists = [0, 12, 24, 36].map((from) => inventNumbers(48).slice(from, from + 12))
    const wide = await startSurroundings({ copies: lists.flat() })
    const fronts = await startProcess('fronts', {
      ...wide.variables(),
      OPS_PORT: '0',
      WORKERS: '2',
      KUNNGJORING_CALLS_PER_SECOND: String(PER_SECOND),
    })
    try {
      await eventually('each knows of the other', async () => {
        const told = await Promise.all(
          sidesOf(fronts).map(async (side) => (await fetch(`${side}/metrics`)).text()),
        )
        return told.filter((text) => /^bedriftsoppslag_processes\S* 2$/m.test(text)).length === 2
      })
      const from = performance.now()
      // Each on a connection of its own, so that both fronts have some.
      await Promise.all(
        lists.map(async (list) => {
          const client = new Client(fronts.address, { bodyTimeout: 120_000, headersTimeout: 120_000 })
          const { body } = await client.request({
            method: 'POST',
            path: '/api/bedrift/oppslag?felt=kunngjoringer',
            headers: { authorization: `Bearer ${wide.token}`, 'content-type': 'application/json' },
            body: JSON.stringify(list),
          })
          expect(await body.text()).toContain('"foretak":12,"feil":0,"ufullstendige":0')
          await client.close()
        }),
      )
      const seconds = (performance.now() - from) / 1000
      expect(wide.register.calls.count('kunngjoringer')).toBe(48)
      // As many as were saved may come at once: of a slow machine there are the more seconds.
      expect(48).toBeLessThanOrEqual(PER_SECOND * seconds + PER_SECOND + 2)
    } finally {
      await fronts.end('SIGKILL')
      await wide.close()
    }
  })

  it('P36: told by SIGINT alone, where no terminal tells everybody, all end in order', async () => {
    const fronts = await start()
    try {
      process.kill(fronts.pid, 'SIGINT')
      expect(await fronts.ended).toBe(0)
      expect(pidsOf(fronts).some(isAlive)).toBe(false)
    } finally {
      await fronts.end('SIGKILL')
    }
  })

  it('each has an operators’ side of its own, also where the system chooses the port; when the process that keeps them is killed, none is left behind', async () => {
    const fronts = await start()
    try {
      await eventually('both have one', () => sidesOf(fronts).length === 2)
      expect(new Set(sidesOf(fronts)).size).toBe(2)
      for (const address of sidesOf(fronts)) expect((await fetch(`${address}/health/live`)).status).toBe(200)
      // The word that they listen may come before the lines of its log.
      await eventually('both are named', () => pidsOf(fronts).length === 2)
    } finally {
      await fronts.end('SIGKILL')
    }
    const pids = pidsOf(fronts)
    await eventually('they have ended', () => !pids.some(isAlive))
  })

  it('a front that can not start ends the command with its own last line', async () => {
    await expect(start({ DATABASE_URL: '', DATA_DIR: '/dev/null/x' })).rejects.toThrow(
      /It wrote:\nDATA_DIR: .*\/dev\/null\/x/,
    )
  })
})

/** Where the operators' side of each listens. */
function sidesOf(fronts: ServiceProcess): string[] {
  return [...fronts.output().matchAll(/"address":"([^"]+)","msg":"the operators' side is open"/g)].map(
    ([, address = '']) => address,
  )
}

/** Kills one while the system has no room for another within such a bound (prlimit(1)), and gives it room again. */
async function killWhileBounded(
  fronts: ServiceProcess,
  { bound, none, enough }: { bound: string; none: string; enough: string },
): Promise<void> {
  const allow = (most: string) => execFileSync('prlimit', ['--pid', String(fronts.pid), `--${bound}=${most}`])
  try {
    const [killed = 0, other = 0] = pidsOf(fronts)
    allow(none)
    process.kill(killed, 'SIGKILL')
    await eventually('it could not be started', () => /could not be started/.test(fronts.output()))
    expect(isAlive(other)).toBe(true)
    allow(enough)
    await eventually('it is replaced', () => pidsOf(fronts).length === 3, 90_000)
    expect(isAlive(other)).toBe(true)
    expect((await fetch(`${fronts.address}/status.json`)).status).toBe(200)
    expect(await fronts.end('SIGTERM')).toBe(0)
  } finally {
    await fronts.end('SIGKILL')
  }
}

/** In the order in which they came to listen. */
function pidsOf(fronts: ServiceProcess): number[] {
  return [...fronts.output().matchAll(/"pid":(\d+),"msg":"a front listens"/g)].map((match) =>
    Number(match[1]),
  )
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
