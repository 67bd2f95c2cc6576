import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Aim } from '../row.ts'
import type { Stage } from '../stage.ts'
import { readAll } from './readings.ts'

/** What is held meanwhile: enough for whatever looks after it to have something to look at. */
const HELD = 100
/** Started, what it does at the start done. */
const SETTLE_MS = 15_000

/** What `npm start` takes of a core while nobody asks it anything: the process, and the PostgreSQL it brings. */
export async function atRestRows(stage: Stage, { restMs }: { restMs: number }): Promise<Aim[]> {
  const whole = await stage.startWhole()
  await readAll(stage, whole.address, stage.numbers.large.slice(0, HELD), 4)
  await pause(SETTLE_MS)
  const before = { ours: (await whole.usage()).cpuMs, database: await databaseMs(stage.dataDir) }
  const startedAt = performance.now()
  await pause(restMs)
  const share = (ms: number) => (ms * 100) / (performance.now() - startedAt)
  const ours = share((await whole.usage()).cpuMs - before.ours)
  const database = share((await databaseMs(stage.dataDir)) - before.database)
  await whole.stop()
  return [
    {
      what: `1. \`npm start\` at rest, of a core: the process (its PostgreSQL beside it: ${database.toFixed(2)} %)`,
      found: ours,
      limit: 1,
      unit: '%',
    },
  ]
}

/** proc(5): of the process that stands first in `postmaster.pid` and of its children, those that ended included. */
async function databaseMs(dataDir: string): Promise<number> {
  const folders = await readdir(dataDir, { recursive: true })
  const file = folders.find((each) => each.endsWith('postmaster.pid'))
  if (file === undefined) throw new Error(`${dataDir} has no running PostgreSQL`)
  const postmaster = Number((await readFile(join(dataDir, file), 'utf8')).split('\n')[0])
  const stats = await Promise.all(
    (await readdir('/proc'))
      .filter((name) => /^\d+$/.test(name))
      .map(async (pid) => ({ pid, stat: await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '') })),
  )
  let hundredths = 0
  for (const { pid, stat } of stats) {
    const fields = stat.slice(stat.lastIndexOf(') ') + 2).split(' ')
    const isOwn = Number(pid) === postmaster
    if (!isOwn && Number(fields[1]) !== postmaster) continue
    const [user, system, childUser, childSystem] = fields.slice(11, 15).map(Number)
    hundredths += (user ?? 0) + (system ?? 0)
    if (isOwn) hundredths += (childUser ?? 0) + (childSystem ?? 0)
  }
  return hundredths * 10
}
