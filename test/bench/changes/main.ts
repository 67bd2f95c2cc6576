import { parseArgs } from 'node:util'
import { leaveMeasuredCore, machineFacts } from '../process/machine.ts'
import { keep, tableOf } from '../report.ts'
import type { Aim } from '../row.ts'
import { openStage, type Stage } from '../stage.ts'
import { batchRows } from './batch.ts'
import { delayRows } from './delay.ts'
import { millionsRows } from './millions.ts'

const HELP = `npm run bench:changes -- [--scale 1] [--only delay|batch|millions]

How soon who watches is told, and what it takes to watch many.
  --scale  1 is the whole: 300 events one by one, 4,800 at once for 1,000 keys, 1.2 million watched companies.
           0.05 when left out.
  --only   one part.
Only a whole run of all parts is kept in test/bench/results, and shown in test/bench/README.md.`

/** Door: the service as processes, over registers that tell of changes, and customers who watch. */
const { values } = parseArgs({
  options: {
    scale: { type: 'string', default: '0.05' },
    only: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
const scale = Number(values.scale)
const parts: Record<string, () => Promise<Aim[]>> = {
  delay: () => staged(sized(300), 0, (stage) => delayRows(stage, { events: sized(300) })),
  batch: () =>
    staged(sized(4800), 200, (stage) =>
      batchRows(stage, { events: sized(4800), keys: sized(1000), readMs: scale >= 1 ? 20_000 : 5000 }),
    ),
  millions: () =>
    staged(100, 0, (stage) => millionsRows(stage, { keys: 120, few: sized(100), many: sized(10_000) })),
}

if (values.help) console.log(HELP)
else if (!(scale > 0) || !(values.only === undefined || values.only in parts)) {
  console.error(HELP)
  process.exitCode = 2
} else await measure()

async function measure(): Promise<void> {
  leaveMeasuredCore()
  const facts = machineFacts()
  const rest: Aim[] = []
  for (const [name, part] of Object.entries(parts)) {
    if (values.only !== undefined && values.only !== name) continue
    console.error(`${name} …`)
    rest.push(...(await part()))
  }
  const results = { servers: [], rest, notes: [] }
  console.log(tableOf(facts, results))
  if (scale >= 1 && values.only === undefined) await keep(facts, results, 'changes')
}

function sized(whole: number): number {
  return Math.max(1, Math.round(whole * scale))
}

async function staged(
  standard: number,
  large: number,
  run: (stage: Stage) => Promise<Aim[]>,
): Promise<Aim[]> {
  const stage = await openStage({ standard, large, mixed: 0 })
  try {
    return await run(stage)
  } finally {
    await stage.close()
  }
}
