import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Log } from '#src/core/log.ts'
import { within } from '#src/core/wait.ts'
import type { ProcessEnd } from '#src/storage/process-ends.ts'
import type { ProcessKind } from '#src/storage/processes.ts'

/**
 * Tells PostgreSQL that this process ends by an error; when that can not be told now, which may be the very reason, it is
 * written into a folder, and told by the next process that finds it there.
 */
export function createProcessEnds({
  folder,
  about,
  now,
  keep,
  log,
  policy,
}: {
  folder: string
  about: { slag: ProcessKind; versjon: string }
  now: () => Date
  keep: (end: ProcessEnd) => Promise<void>
  log: Pick<Log, 'warn'>
  policy: { endKeptWithinMs: number; endsWaitingMax: number }
}) {
  let areEarlierTold = false

  return {
    /** Returns when it has been told or written, or could not be; within the deadline. */
    async ended(error: unknown): Promise<void> {
      const end: ProcessEnd = { id: randomUUID(), ...about, endt: now(), ...describe(error) }
      try {
        await within(keep(end), policy.endKeptWithinMs, () => {
          throw new Error('not within the deadline')
        })
      } catch {
        try {
          mkdirSync(folder, { recursive: true, mode: 0o700 })
          writeFileSync(join(folder, `${end.id}.json`), JSON.stringify(end), { mode: 0o600 })
        } catch (error) {
          log.warn({ err: error }, 'that this process ended by an error stands in its log alone')
        }
      }
    },

    /** What earlier processes wrote, once; for whoever has just found that PostgreSQL answers. @throws what `keep` throws */
    async tellEarlier(): Promise<void> {
      if (areEarlierTold) return
      const names = await readdir(folder).catch(() => [])
      for (const name of names.sort().slice(0, policy.endsWaitingMax)) {
        const path = join(folder, name)
        const end = readEnd(await readFile(path, 'utf8').catch(() => ''))
        if (end !== null) await keep(end)
        // Told twice it is one. What stays, on a disk that is read only now or as a folder, is in nobody's way.
        await rm(path, { force: true }).catch(() => {})
      }
      areEarlierTold = true
    },
  }
}

/** No message: it may say anything. */
function describe(error: unknown): Pick<ProcessEnd, 'feil' | 'sted'> {
  if (!(error instanceof Error)) return { feil: typeof error, sted: null }
  const code = 'code' in error && typeof error.code === 'string' ? ` (${error.code})` : ''
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  const ours = frames.find((line) => OURS.test(line) && !line.includes('node_modules'))
  const sted = OURS.exec(ours ?? '')?.[0].slice(0, TEXT_MAX) ?? null
  return { feil: `${error.name}${code}`.slice(0, TEXT_MAX), sted }
}

const OURS = /(?:src|workers|config)\/[\w./-]+\.ts:\d+:\d+/
const TEXT_MAX = 200

const WrittenEnd = Type.Object({
  id: Type.String({ pattern: '^[0-9a-f-]{36}$' }),
  slag: Type.Union([Type.Literal('front'), Type.Literal('arbeider'), Type.Literal('alt')]),
  versjon: Type.String({ maxLength: TEXT_MAX }),
  endt: Type.String({ pattern: '^[0-9T:.-]{23}Z$' }),
  feil: Type.String({ maxLength: TEXT_MAX }),
  sted: Type.Union([Type.String({ maxLength: TEXT_MAX }), Type.Null()]),
})
const isWritten = Compile(WrittenEnd)

/** Null for what was not written to its end, or by another hand. */
function readEnd(text: string): ProcessEnd | null {
  try {
    const written: unknown = JSON.parse(text)
    if (!isWritten.Check(written)) return null
    const { endt, ...end } = written as Static<typeof WrittenEnd>
    const at = new Date(endt)
    return Number.isNaN(at.getTime()) ? null : { ...end, endt: at }
  } catch {
    return null
  }
}
