import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import type { Database } from '#src/storage/database.ts'
import type { Aim } from '../row.ts'
import { forslag, openDoor, p, sok } from './door.ts'
import type { Place } from './place.ts'

/**
 * Builds the index as the worker does. Where one is read already it is asked all the while, as it was before the build: what
 * the build adds to others' waits is a row of its own.
 */
export async function build(place: Place, questions: readonly string[]): Promise<Aim[]> {
  const isRead = (await place.built()) !== null
  const door = isRead ? await openDoor(place) : null
  try {
    const quiet = await door?.times(pathsOf(questions, 0))
    const child = spawn(
      process.execPath,
      ['--max-semi-space-size=16', PROGRAM, place.storage.url, place.registerUrl],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    const ended = once(child, 'exit')
    let isOver = false
    ended.finally(() => {
      isOver = true
    })
    const waits: number[] = []
    const asking = (async () => {
      for (let round = 1; door !== null && !isOver; round += 1)
        waits.push(...(await door.times(pathsOf(questions, round))))
    })()
    const { seconds, cpuSeconds, mostMb } = JSON.parse(await text(child.stdout))
    await asking
    const rows: Aim[] = [
      {
        what: `building from the bulk files (CPU of the worker ${Math.round(cpuSeconds)} s)`,
        found: seconds / 60,
        limit: 10,
        unit: 'min',
      },
      { what: 'most memory of the process that builds', found: mostMb, limit: 300, unit: 'MB' },
    ]
    if (quiet !== undefined && waits.length > 0) {
      const before = p(0.99, quiet)
      rows.push({
        what: `readers’ p99 while it builds (${p(0.99, waits).toFixed(1)} ms) against before (${before.toFixed(1)} ms)`,
        found: p(0.99, waits) / before,
        limit: 2,
        unit: '×',
      })
    }
    await place.noteBuilt(rows)
    return rows
  } finally {
    await door?.close()
  }
}

const PROGRAM = new URL('building.ts', import.meta.url).pathname

/** The same questions in other spaces: what was answered before is not answered from memory. */
function pathsOf(questions: readonly string[], round: number): string[] {
  const spaces = ' '.repeat(1 + (round % 60))
  return questions.flatMap((q, index) => (index % 2 === 0 ? forslag(q + spaces) : sok(q + spaces)))
}

export async function diskRow(db: Database): Promise<Aim> {
  const [row] = await db.query<{ bytes: string }>(
    `select sum(pg_total_relation_size(oid)) as bytes from pg_class
     where relkind = 'r' and relname like 'sok%' and relname not like '%\\_ny'`,
  )
  return { what: 'the index on disk', found: Number(row?.bytes ?? 0) / 1e9, limit: 1.5, unit: 'GB' }
}
