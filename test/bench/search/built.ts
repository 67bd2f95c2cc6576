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
    const quiet = door === null ? null : await asked(door, questions)
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
      for (let round = ROUNDS; door !== null && !isOver; round += 1)
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
    if (quiet !== null && waits.length > 0) {
      const before = p(0.99, quiet)
      rows.push({
        what: `readers’ p99 of ${waits.length} questions while it builds (${p(0.99, waits).toFixed(1)} ms, p50 ${p(0.5, waits).toFixed(1)}) against before (${before.toFixed(1)} ms, p50 ${p(0.5, quiet).toFixed(1)})`,
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

/** What readers wait without a build beside them: once the index has been read by others, as it has on any other day. */
async function asked(door: Awaited<ReturnType<typeof openDoor>>, questions: readonly string[]) {
  await door.times(pathsOf(questions, 0))
  const times = []
  for (let round = 1; round < ROUNDS; round += 1) times.push(...(await door.times(pathsOf(questions, round))))
  return times
}

const ROUNDS = 12

/** The same questions in other spaces, of each round its own: what was answered before is not answered from memory. */
function pathsOf(questions: readonly string[], round: number): string[] {
  const spaces = round.toString(2).replaceAll('0', ' ').replaceAll('1', '\t')
  return questions.flatMap((q, index) => (index % 2 === 0 ? forslag(q + spaces) : sok(q + spaces)))
}

export async function diskRow(db: Database): Promise<Aim> {
  const [row] = await db.query<{ bytes: string }>(
    `select sum(pg_total_relation_size(oid)) as bytes from pg_class
     where relkind = 'r' and relname like 'sok%' and relname not like '%\\_ny'`,
  )
  return { what: 'the index on disk', found: Number(row?.bytes ?? 0) / 1e9, limit: 1.5, unit: 'GB' }
}
