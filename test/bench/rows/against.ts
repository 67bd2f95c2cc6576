import type { Results } from '../row.ts'
import type { Stage } from '../stage.ts'
import {
  BARE,
  BULK,
  bareList,
  bareNotModified,
  bulkOf,
  ENCODINGS,
  HIT,
  inBulk,
  NOT_CHANGED,
  NOT_MODIFIED,
  ours,
  PACKED,
  PART,
  packedAs,
  partsOf,
  pathsOf,
  peerOf,
  save,
} from './cached.ts'
import { type Course, measureInTurns, serverRow, times } from './contestant.ts'
import { readAll } from './readings.ts'

/** This checkout and another one side by side: whether a change pays, on a machine that may be busy. */
export async function againstRows(
  stage: Stage,
  course: Course,
  root: string,
): Promise<Pick<Results, 'servers'>> {
  const { large } = stage.numbers
  const held = pathsOf(large.slice(0, 100))
  const sides = [
    { side: 'this', front: await stage.startFront() },
    { side: 'other', front: await stage.startFront({ root }) },
  ]
  for (const { front } of sides) await readAll(stage, front.address, large, 4)
  const [first] = sides
  const { file } = await save(stage, first?.front.address ?? '', held[0], 'record.json')
  const questions = {
    [HIT]: {},
    [NOT_MODIFIED]: NOT_CHANGED,
    ...Object.fromEntries(ENCODINGS.map((encoding) => [PACKED(encoding), packedAs(stage, encoding)])),
    [PART]: { paths: partsOf(held) },
    [BULK]: bulkOf(large),
  } as const
  const named = (name: string, side: string) => `${name}, ${side}`
  const contestants = [
    await peerOf(stage, BARE, stage.startPeer('bare', file), held),
    await bareNotModified(stage, file, held),
    await bareList(stage, file, large),
    ...Object.entries(questions).flatMap(([name, order]) =>
      sides.map(({ side, front }) => ({
        ...ours(stage, named(name, side), front, held, order),
        ...(name === BULK && inBulk),
      })),
    ),
  ]
  const measured = await measureInTurns(stage, contestants, course)
  const aimOf = (name: string) => ({
    what: 'of the other',
    found: times(measured, named(name, 'this'), named(name, 'other')),
    limit: 1,
    unit: '×',
  })
  return {
    servers: contestants.map(({ name }) => ({
      ...serverRow(measured, name, BARE),
      aims: name.endsWith(', this') ? [aimOf(name.slice(0, -', this'.length))] : [],
    })),
  }
}
