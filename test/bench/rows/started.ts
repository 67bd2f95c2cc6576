import { HOW_TO_GET_WRK, hasWrk, runWrk } from '../load/wrk.ts'
import type { Results } from '../row.ts'
import type { Stage } from '../stage.ts'
import { ours, pathsOf, save } from './cached.ts'
import { byOwnLoad, type Course, inTurns, type Measure, serverRow, times } from './contestant.ts'
import { readAll } from './readings.ts'

export type StartedCourse = Course & { seconds: number }

const HELD = 100
const CONNECTIONS = [8, 32, 64]

/**
 * What a user starts, asked by a program that is not ours: `wrk` over `npm start` and `npm run server`, beside bare
 * `node:http` with the same bytes; and whether our own load says the same.
 */
export async function startedRows(
  stage: Stage,
  course: StartedCourse,
): Promise<Pick<Results, 'servers' | 'rest' | 'notes'>> {
  if (!hasWrk()) {
    const note = `\`wrk\` is not on this machine: its rows are left out. ${HOW_TO_GET_WRK} has it.`
    return { servers: [], rest: [], notes: [note] }
  }
  const held = stage.numbers.large.slice(0, HELD)
  const paths = pathsOf(held)
  const whole = await stage.startWhole()
  const front = await stage.startFront()
  for (const { address } of [whole, front]) await readAll(stage, address, held, 4)
  const bare = stage.startPeer('bare', (await save(stage, whole.address, paths[0], 'record.json')).file)
  const bareAddress = await bare.listening()
  const doors = [
    { door: BARE, child: bare, address: bareAddress },
    { door: WHOLE, child: whole, address: whole.address },
    { door: FRONT, child: front, address: front.address },
  ]
  const byWrk = CONNECTIONS.flatMap((connections) =>
    doors.map(({ door, child, address }) => ({
      name: nameOf(door, connections),
      async measure(): Promise<Measure> {
        const before = (await child.usage()).cpuMs
        const run = await runWrk({ ...stage, address, paths, connections, seconds: course.seconds })
        const usedMs = (await child.usage()).cpuMs - before
        return { cpuMicroseconds: (usedMs * 1000) / run.answered, ...run }
      },
    })),
  )
  const own = [
    ours(stage, nameOfOwn(BARE), { ...bare, address: bareAddress }, paths, { headHas: '' }),
    ours(stage, nameOfOwn(WHOLE), whole, paths, {}),
  ].map((contestant) => byOwnLoad(stage, contestant, course))
  // What is compared is asked within a few seconds: a machine is faster now and slower then by more than the two loads differ.
  const compared = byWrk.findIndex(({ name }) => name === nameOf(BARE, 32))
  const turns = byWrk.toSpliced(compared, 0, ...own)
  const measured = await inTurns(turns, course.rounds, (contestant) => contestant.measure())
  const ourTimes = times(measured, nameOfOwn(WHOLE), nameOfOwn(BARE))
  const wrkTimes = times(measured, nameOf(WHOLE, 32), nameOf(BARE, 32))
  return {
    servers: [
      ...CONNECTIONS.flatMap((connections) =>
        doors.map(({ door }) => {
          const row = serverRow(measured, nameOf(door, connections), nameOf(BARE, connections))
          const aims = [{ what: 'of bare', found: row.timesBare, limit: 1.25, unit: '×' }]
          return { ...row, aims: door === BARE ? [] : aims }
        }),
      ),
      ...own.map(({ name }) => ({ ...serverRow(measured, name, nameOfOwn(BARE)), aims: [] })),
    ],
    rest: [
      {
        what: `1. \`wrk -c32\` over \`npm start\` (${wrkTimes.toFixed(2)} × bare) and our own load (${ourTimes.toFixed(2)} × bare) are apart`,
        found: Math.abs(wrkTimes / ourTimes - 1) * 100,
        limit: 15,
        unit: '%',
      },
    ],
    notes: [],
  }
}

const BARE = 'bare `node:http`'
const WHOLE = '**ours: `npm start`**'
const FRONT = '**ours: `npm run server`**'
const nameOf = (door: string, connections: number) => `\`wrk -c${connections}\`: ${door}`
const nameOfOwn = (door: string) => `our own load, 32 connections: ${door}`
