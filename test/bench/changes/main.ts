import { parseArgs } from 'node:util'
import { leaveMeasuredCore, machineFacts } from '../process/machine.ts'
import { keep, tableOf } from '../report.ts'
import type { Aim } from '../row.ts'
import { staged } from '../stage.ts'
import { batchRows } from './batch.ts'
import { delayRows } from './delay.ts'
import { millionsRows } from './millions.ts'

/**
 * Door: the service as processes, over registers that tell of changes, and customers who watch: how soon they are told, and what
 * it takes to watch many.
 *
 * `--scale 1` is the whole: 300 events one by one, 4,800 at once for 1,000 keys, 1.2 million watched companies; a twentieth when
 * left out. `--only delay|batch|millions` is one part. Only a whole run of all parts is kept in `results/`.
 */
const { values } = parseArgs({
  options: {
    scale: { type: 'string', default: '0.05' },
    only: { type: 'string' },
  },
})
const scale = Number(values.scale)
const parts: Record<string, () => Promise<Aim[]>> = {
  delay: () => staged({ standard: sized(300) }, (stage) => delayRows(stage, { events: sized(300) })),
  batch: () =>
    staged({ standard: sized(4800), large: 200 }, (stage) =>
      batchRows(stage, { events: sized(4800), keys: sized(1000), readMs: scale >= 1 ? 20_000 : 5000 }),
    ),
  millions: () =>
    staged({ standard: 100 }, (stage) =>
      millionsRows(stage, { keys: 120, few: sized(100), many: sized(10_000) }),
    ),
}

if (!(scale > 0)) throw new Error(`--scale: expected a number above 0, found ${values.scale}`)
if (values.only !== undefined && !(values.only in parts))
  throw new Error(`--only: expected one of ${Object.keys(parts).join(', ')}, found ${values.only}`)
await measure()

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
