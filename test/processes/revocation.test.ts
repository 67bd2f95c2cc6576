import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { policy } from '#config/policy.ts'
import { issueKey } from '#src/access/issue-key.ts'
import { systemClock } from '#src/core/clock.ts'
import { revokeKey } from '#src/storage/keys.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'
import { serverOf } from '#test/support/server-of.ts'
import { startTcpProxy, type TcpProxy } from '#test/support/tcp-proxy.ts'
import type { Asked, Said } from '../access/key-process.ts'

let storage: TestDatabase
/** The way of what is told, and of nothing else. */
let wayOfChanges: TcpProxy
let processes: KeyProcess[]

beforeEach(async () => {
  storage = await createTestDatabase()
  wayOfChanges = await startTcpProxy({ upstream: serverOf(storage.url) })
  const changesUrl = new URL(storage.url)
  changesUrl.host = `${wayOfChanges.host}:${wayOfChanges.port}`
  processes = [0, 1].map(() => startKeyProcess(storage.url, changesUrl.href))
  await eventually('both hear', async () => {
    await storage.database.query(`select pg_notify('nokkel_endret', 'prove0000000')`)
    return processes.every(({ heard }) => heard.includes('prove0000000'))
  })
})
afterEach(async () => {
  for (const each of processes) each.end()
  await wayOfChanges.close()
  await storage.close()
})

describe('P26: a key that two processes know, revoked', () => {
  test('is refused by both while the clock of neither moves: they were told', async () => {
    const { token, id } = await known()
    await revokeKey(storage.database, id, new Date())
    await eventually('both refuse it', async () =>
      (await verdicts(token)).every((each) => each === 'tilbakekalt'),
    )
  })

  test('while nothing they are told arrives: is refused by both within sixty seconds', async () => {
    const { token, id } = await known()
    await wayOfChanges.down()
    await revokeKey(storage.database, id, new Date())
    expect(await verdicts(token)).toEqual(['ok', 'ok'])
    for (const each of processes) await each.advance(policy.keys.trustedForMs)
    expect(policy.keys.trustedForMs).toBeLessThanOrEqual(60_000)
    expect(await verdicts(token)).toEqual(['tilbakekalt', 'tilbakekalt'])
    expect(processes.flatMap(({ heard }) => heard)).not.toContain(id)
  })

  test('while nothing they are told arrives, though the connection seems to stand: just so', async () => {
    const { token, id } = await known()
    wayOfChanges.set({ kind: 'timeout', ms: 0 })
    await revokeKey(storage.database, id, new Date())
    for (const each of processes) await each.advance(policy.keys.trustedForMs)
    expect(await verdicts(token)).toEqual(['tilbakekalt', 'tilbakekalt'])
    expect(processes.flatMap(({ heard }) => heard)).not.toContain(id)
  })
})

/** A key both have let in. */
async function known(): Promise<{ token: string; id: string }> {
  const { database: db } = storage
  const key = await issueKey({ db, clock: systemClock }, { epost: 'a@example.com', miljo: 'test' })
  expect(await verdicts(key.token)).toEqual(['ok', 'ok'])
  return key
}

function verdicts(token: string): Promise<string[]> {
  return Promise.all(processes.map((each) => each.verify(token)))
}

type KeyProcess = {
  heard: string[]
  verify(token: string): Promise<string>
  advance(ms: number): Promise<void>
  end(): void
}

function startKeyProcess(databaseUrl: string, changesUrl: string): KeyProcess {
  const script = fileURLToPath(new URL('../access/key-process.ts', import.meta.url))
  const child = fork(script, [databaseUrl, changesUrl], { execArgv: [] })
  const heard: string[] = []
  child.on('message', (said: Said) => {
    if ('heard' in said) heard.push(said.heard)
  })
  return {
    heard,
    async verify(token) {
      const said = await ask(child, { verify: token }, (answer) => 'verdict' in answer)
      return 'verdict' in said ? said.verdict : ''
    },
    async advance(ms) {
      await ask(child, { advanceMs: ms }, (answer) => 'advanced' in answer)
    },
    end: () => void child.kill('SIGKILL'),
  }
}

/** One question at a time. */
function ask(child: ChildProcess, asked: Asked, isAnswer: (said: Said) => boolean): Promise<Said> {
  return new Promise((resolve) => {
    const listen = (said: Said) => {
      if (!isAnswer(said)) return
      child.off('message', listen)
      resolve(said)
    }
    child.on('message', listen)
    child.send(asked)
  })
}
