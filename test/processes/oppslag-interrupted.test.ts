import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isEmbeddedDatabaseRunning } from '#src/embedded/embedded-database.ts'
import { startCommand } from '#test/support/command.ts'
import { makeDataFolder } from '#test/support/data-folder.ts'
import { eventually } from '#test/support/eventually.ts'

describe('a command that started the embedded database, and is interrupted', () => {
  let dataDir: string
  /** Takes a connection and says nothing: whoever sends a mail waits for it. */
  let silent: Server

  beforeAll(async () => {
    dataDir = await makeDataFolder('oppslag-avbrutt-')
    silent = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1')
    await once(silent, 'listening')
  })
  afterAll(async () => {
    silent.close()
    await rm(dataDir, { recursive: true, force: true })
  })

  const issue = (interrupt: AbortSignal, by: NodeJS.Signals = 'SIGINT') => {
    const { port } = silent.address() as AddressInfo
    const variables = {
      DATA_DIR: dataDir,
      MILJO: 'test',
      SMTP_URL: `smtp://127.0.0.1:${port}`,
      MAIL_FROM: 'post@example.com',
    }
    return startCommand(
      variables,
      ['nokkel', 'utsted', '--hvorfor', 'en prøve', '--epost', 'kari@example.com'],
      { interrupt, by },
    )
  }

  test('while it starts, leaves nothing running', async () => {
    const interrupted = new AbortController()
    const ended = issue(interrupted.signal)
    await eventually('PostgreSQL runs', () => isEmbeddedDatabaseRunning(dataDir), 90_000)
    interrupted.abort()
    expect((await ended).code).not.toBe(0)
    expect(await isEmbeddedDatabaseRunning(dataDir)).toBe(false)
  })

  test.each([
    ['interrupted', 'SIGINT'],
    ['its terminal closed', 'SIGHUP'],
  ] as const)(
    'P36: attack: at its work, %s, ends as the signal says, and leaves nothing running',
    async (_how, by) => {
      const interrupted = new AbortController()
      const ended = issue(interrupted.signal, by)
      await once(silent, 'connection')
      expect(await isEmbeddedDatabaseRunning(dataDir)).toBe(true)
      interrupted.abort()
      expect((await ended).code).toBe(-1)
      expect(await isEmbeddedDatabaseRunning(dataDir)).toBe(false)
    },
  )
})
