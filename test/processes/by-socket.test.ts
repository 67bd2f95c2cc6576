import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'undici'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { SAMPLE } from '../fixtures/samples/index.ts'
import { eventually } from '../support/eventually.ts'
import { freePorts } from '../support/free-ports.ts'
import { startProcess } from '../support/processes.ts'
import { type Surroundings, startSurroundings } from '../support/surroundings.ts'

type Flood = { isOn(): boolean; end(): void }

let around: Surroundings
let folder: string

beforeAll(async () => {
  around = await startSurroundings()
  folder = mkdtempSync(join(tmpdir(), 'sockets-'))
})
afterAll(async () => {
  await around.close()
  rmSync(folder, { recursive: true, force: true })
})

it('P196: fronts share a socket as they share a port, each operators’ side has one, and those of processes that were killed are in nobody’s way', async () => {
  const [opsPort = 0, next = 0] = await freePorts(2)
  const variables = { ...around.variables(), SOCKET_DIR: folder, WORKERS: '1', OPS_PORT: String(opsPort) }
  const all = ['tjeneste.sock', `drift-${opsPort}.sock`, `drift-${next}.sock`].sort()
  const begin = () =>
    Promise.all([
      startProcess('fronts', variables),
      startProcess('worker', { ...variables, OPS_PORT: String(next) }),
    ])
  const everywhere = async () => {
    expect(readdirSync(folder).sort()).toEqual(all)
    expect(await statusAt('tjeneste.sock', `/api/bedrift/${SAMPLE.healthy}`)).toBe(200)
    for (const port of [opsPort, next])
      expect(await statusAt(`drift-${port}.sock`, '/health/ready')).toBe(200)
  }
  const first = await begin()
  await everywhere()
  for (const process of first) await process.end('SIGKILL')
  const second = await begin()
  try {
    await everywhere()
    for (const process of second) expect(await process.end()).toBe(0)
    expect(readdirSync(folder)).toEqual([])
  } finally {
    for (const process of second) await process.end('SIGKILL')
  }
})

it('P196: attack: who floods each port of a machine on one connection after another keeps nobody out who comes by a socket', async () => {
  const [opsPort = 0] = await freePorts(1)
  const service = await startProcess('api', {
    ...around.variables(),
    SOCKET_DIR: folder,
    OPS_PORT: String(opsPort),
  })
  const floods = [service.address, service.opsAddress()].map(startFlood)
  try {
    await eventually('they are on', () => floods.every(({ isOn }) => isOn()))
    const statuses = new Map<number, number>()
    for (let each = 0; each < 60; each++) {
      const status = await (each % 2 === 0
        ? statusAt('tjeneste.sock', `/api/bedrift/${SAMPLE.healthy}`)
        : statusAt(`drift-${opsPort}.sock`, '/metrics'))
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    expect(statuses).toEqual(new Map([[200, 60]]))
  } finally {
    for (const flood of floods) flood.end()
    await service.end('SIGKILL')
  }
})

/** On a connection of its own. */
async function statusAt(socket: string, path: string): Promise<number> {
  const client = new Client('http://localhost', { socketPath: join(folder, socket) })
  try {
    const headers = { authorization: `Bearer ${around.token}` }
    const { statusCode, body } = await client.request({ method: 'GET', path, headers })
    await body.dump()
    return statusCode
  } finally {
    await client.destroy()
  }
}

/** In a process of its own: 64 connections at a time, each with as many requests as go at once and then gone, and another in its place. */
function startFlood(address: string): Flood {
  const { hostname, port } = new URL(address)
  const flood = `
    const { connect } = require('node:net')
    const requests = 'GET /status.json HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n'.repeat(2500)
    let ended = 0
    const begin = () => {
      const socket = connect(${port}, '${hostname}', () => socket.write(requests, () => socket.resetAndDestroy()))
      socket.on('error', () => {}).on('close', () => {
        ended += 1
        if (ended % 1000 === 0) console.log(ended)
        setImmediate(begin)
      })
    }
    for (let each = 0; each < 64; each++) begin()`
  const child = spawn(process.execPath, ['-e', flood], { stdio: ['ignore', 'pipe', 'inherit'] })
  let isOn = false
  child.stdout.on('data', () => {
    isOn = true
  })
  return { isOn: () => isOn, end: () => child.kill('SIGKILL') }
}
