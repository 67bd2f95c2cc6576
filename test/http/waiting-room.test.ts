import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { askedAtOnce } from '#test/support/asked-at-once.ts'
import { freePorts } from '#test/support/free-ports.ts'

const FRONT = fileURLToPath(new URL('../support/front-that-waits.ts', import.meta.url))

it('P37: attack: they who came to the last of several fronts while it was at something else are handed to it, and answered, before it leaves', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'oppslag-waits-'))
  const file = join(folder, 'leaves')
  const [port = 0] = await freePorts(1)
  const fronts = fork(FRONT, [String(port), file], { execArgv: [] })
  try {
    await once(fronts, 'message')
    const asked = Array.from({ length: 50 }, () => askedAtOnce({ host: '127.0.0.1', port }))
    await Promise.all(asked.map(({ connected }) => connected))
    await writeFile(file, '')
    expect(new Set(await Promise.all(asked.map(({ answer }) => answer)))).toEqual(new Set(['HTTP/1.1 503']))
  } finally {
    fronts.disconnect()
    await once(fronts, 'exit')
    await rm(folder, { recursive: true })
  }
})
