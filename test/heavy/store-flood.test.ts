import { rm } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { Pool } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SAMPLE } from '../fixtures/samples/index.ts'
import { makeDataFolder } from '../support/data-folder.ts'
import { type ServiceProcess, startProcess } from '../support/processes.ts'
import { type Surroundings, startSurroundings } from '../support/surroundings.ts'

const CONNECTIONS = 900
const FIRST_USES = 8

/** Calls that ask PostgreSQL each time: none of them is held, and none costs a call to a register. */
const asked = [
  ['GET', `/api/bestillinger/${'a'.repeat(32)}`],
  ['GET', '/api/endringer'],
  ['GET', '/api/overvaking'],
  ['GET', `/api/bedrift/${SAMPLE.healthy}/endringer`],
  ['PUT', `/api/overvaking/${SAMPLE.healthy}`],
] as const

describe.each(['api', 'start'] as const)(
  `P61: beside one key that asks PostgreSQL with ${CONNECTIONS} connections (%s)`,
  (door) => {
    let dataDir: string
    let around: Surroundings
    let front: ServiceProcess

    beforeAll(async () => {
      around = await startSurroundings()
      dataDir = await makeDataFolder('oppslag-flom-')
      front = await startProcess(door, { ...around.variables(), DATA_DIR: dataDir, LOG_LEVEL: 'warn' })
      await read(around.token)
    })
    afterAll(async () => {
      await front.end('SIGKILL')
      await around.close()
      await rm(dataDir, { recursive: true, force: true })
    })

    async function read(token: string): Promise<{ status: number; kode: string | undefined }> {
      const answer = await fetch(`${front.address}/api/bedrift/${SAMPLE.healthy}`, {
        headers: { authorization: `Bearer ${token}` },
      })
      return { status: answer.status, kode: ((await answer.json()) as { kode?: string }).kode }
    }

    it.each(asked)('%s %s: keys that are new here are let in', async (method, path) => {
      const crowd = new Pool(front.address, { connections: CONNECTIONS, pipelining: 1 })
      let isOver = false
      const hands = Array.from({ length: CONNECTIONS }, async () => {
        while (!isOver) {
          const { body } = await crowd.request({
            method,
            path,
            headers: { authorization: `Bearer ${around.token}`, 'content-type': 'application/json' },
            ...(method === 'PUT' && { body: '{}' }),
          })
          await body.dump()
          // As a client does that is told to come again: what is measured is the line, not how fast refusals are written.
          await pause(50)
        }
      })
      try {
        await pause(1000)
        const told = []
        for (let use = 0; use < FIRST_USES; use += 1) told.push(await read(await around.issue()))
        expect(told).toEqual(Array.from({ length: FIRST_USES }, () => ({ status: 200, kode: undefined })))
      } finally {
        isOver = true
        await Promise.allSettled(hands)
        await crowd.destroy()
      }
    })
  },
)
