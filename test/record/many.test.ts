import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { WholeAnswer } from '#src/cache/answers.ts'
import { systemClock } from '#src/core/clock.ts'
import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import type { CompanyReading, Lacking } from '#src/record/company-reading.ts'
import { createManyReader } from '#src/record/many.ts'
import { beBusyFor } from '../support/be-busy.ts'
import { eventually } from '../support/eventually.ts'
import { inventNumbers } from '../support/invented-companies.ts'
import { turnsMeanwhile } from '../support/turns-meanwhile.ts'

const policy = {
  atOnce: 4,
  forOneMax: 2,
  waitingMax: 50,
  aheadMax: 6,
  turnMs: 1,
  patienceMs: 30_000,
  askAgainMs: 1,
}

type Does = (
  orgnr: string,
  times: number,
) => Promise<CompanyReading<WholeAnswer>> | CompanyReading<WholeAnswer>

function found(orgnr: string, lacking: Lacking = null): CompanyReading<WholeAnswer> {
  const answer = { bytes: Buffer.from(orgnr), etag: '', freshUntil: 0, fetchedAtOldest: 0, headers: [] }
  return { outcome: 'record', answer, came: { by: 'miss', isStored: true }, lacking, forced: null }
}

/** A reader of companies that does as it is told, and tells how many it was asked for at once. */
function readerThat(
  does: Does,
  held: (orgnr: string) => boolean = () => false,
  erased: () => string = () => '',
) {
  const asked = new Map<string, number>()
  const ranks = new Set<number | undefined>()
  let inside = 0
  const seen = { most: 0 }
  const readPart = async (orgnr: Organisasjonsnummer, _: unknown, { rank }: { rank?: number }) => {
    ranks.add(rank)
    asked.set(orgnr, (asked.get(orgnr) ?? 0) + 1)
    inside += 1
    seen.most = Math.max(seen.most, inside)
    try {
      return await does(orgnr, asked.get(orgnr) ?? 0)
    } finally {
      inside -= 1
    }
  }
  const many = createManyReader({
    reader: {
      held: (orgnr) => (held(orgnr) ? ({} as never) : null),
      atHand: () => null,
      read: () => expect.unreachable(),
      readPart: readPart as never,
    },
    erased,
    clock: systemClock,
    policy,
  })
  return { many, asked, ranks, seen }
}

async function all(readings: AsyncGenerator<CompanyReading<WholeAnswer>[]>): Promise<string[]> {
  const told: string[] = []
  for await (const run of readings)
    for (const reading of run)
      told.push(reading.outcome === 'record' ? `${reading.answer.bytes} ${reading.lacking}` : reading.outcome)
  return told
}

const wish = (caller = 'en', signal = new AbortController().signal) => ({
  fields: ['navn'] as const,
  caller,
  signal,
  bytesTogether: 1000,
})

describe('P93: many companies for one caller', () => {
  it('come in the order asked, whichever is there first, behind all who ask for one', async () => {
    const numbers = inventNumbers(20)
    const { many, ranks, seen } = readerThat(async (orgnr) => {
      if (orgnr === numbers[0]) await new Promise((resolve) => setTimeout(resolve, 20))
      return found(orgnr)
    })
    expect(await all(many.read(numbers, wish()))).toEqual(numbers.map((orgnr) => `${orgnr} null`))
    expect([...ranks]).toEqual([2])
    expect(seen.most).toBe(policy.forOneMax)
  })

  it('are asked for again when their turn did not come, and a source that fails is not waited for', async () => {
    const [late = '', crowded = '', failing = ''] = inventNumbers(3)
    const { many, asked } = readerThat((orgnr, times) => {
      if (orgnr === failing) return found(orgnr, 'source')
      if (times === 3) return found(orgnr)
      return orgnr === late ? found(orgnr, 'turn') : { outcome: 'crowded', isOwn: false, forced: null }
    })
    expect(await all(many.read([late, crowded, failing] as never, wish()))).toEqual([
      `${late} null`,
      `${crowded} null`,
      `${failing} source`,
    ])
    expect([...asked.values()]).toEqual([3, 3, 1])
  })

  it('that are held wait for no turn, whatever is under way', async () => {
    const [held = '', ...others] = inventNumbers(6)
    const { many } = readerThat(
      (orgnr) => (orgnr === held ? found(orgnr) : new Promise(() => {})),
      (orgnr) => orgnr === held,
    )
    const stuck = many.read(others as never, wish('to'))
    stuck.next()
    await eventually('places are taken', () => many.waiting() > 0)
    expect(await all(many.read([held] as never, wish()))).toEqual([`${held} null`])
  })

  it('are not asked for any more when nobody waits', async () => {
    const numbers = inventNumbers(30)
    const { many, asked } = readerThat((orgnr) => found(orgnr, 'turn'))
    const leaving = new AbortController()
    const reading = all(many.read(numbers, wish('en', leaving.signal)))
    await eventually('some are waited for', () => asked.size > 0)
    leaving.abort()
    await expect(reading).rejects.toThrow()
    expect(asked.size).toBeLessThanOrEqual(policy.aheadMax)
    expect(many.waiting()).toBe(0)
  })
})

describe('P142: many companies that are held', () => {
  const { answer } = found('x'.repeat(400)) as { answer: WholeAnswer }
  const notHeld = inventNumbers(8).at(-1)
  const many = createManyReader({
    reader: {
      held: () => null,
      atHand: (orgnr) => (orgnr === notHeld ? null : answer),
      read: () => expect.unreachable(),
      readPart: async (orgnr) => found(orgnr),
    },
    erased: () => '',
    clock: systemClock,
    policy,
  })

  it('come together, so many bytes at a time, and what has to be waited for holds up none before it', async () => {
    const runs = await Array.fromAsync(many.read(inventNumbers(9), wish()))
    expect(runs.map((run) => run.length)).toEqual([3, 3, 1, 2])
  })
})

describe('P99: many companies that are held', () => {
  it.each([1, 8])(
    'let others in between, however quickly each is there: of %i lists at once',
    async (lists) => {
      const { many } = readerThat(
        (orgnr) => {
          // What making a part of it takes, or a row of a sheet.
          beBusyFor(2)
          return found(orgnr)
        },
        () => true,
      )
      const others = await turnsMeanwhile(() =>
        Promise.all(
          Array.from({ length: lists }, async () =>
            expect(await all(many.read(inventNumbers(50), wish()))).toHaveLength(50),
          ),
        ),
      )
      expect(others).toBeGreaterThan(25 * lists)
    },
  )
})

it('P99: attack: many lists of companies of which the parts are at hand, and no whole, let others in between', async () => {
  const readInTurns = [0]
  const { many } = readerThat(async (orgnr) => {
    // The parts are found before anything is made of them.
    for (let step = 0; step < 50; step += 1) await null
    beBusyFor(2)
    readInTurns[0] = (readInTurns[0] ?? 0) + 1
    return found(orgnr)
  })
  const others = setInterval(() => readInTurns.unshift(0))
  await Promise.all(Array.from({ length: 40 }, () => all(many.read(inventNumbers(5), wish()))))
  clearInterval(others)
  expect(Math.max(...readInTurns)).toBeLessThan(10)
})

it('P93: attack: what is asked for again since somebody was hidden is waited for as it was at first', async () => {
  const [waited, there] = inventNumbers(2)
  const gate = Promise.withResolvers<void>()
  let hidden = 0
  const { many, asked } = readerThat(
    async (orgnr, times) => {
      if (orgnr === waited) await gate.promise
      // What was forgotten with them is not at hand, and its turn does not come at once.
      return times === 2 ? { outcome: 'crowded', isOwn: false, forced: null } : found(orgnr)
    },
    undefined,
    () => String(hidden),
  )
  const told = all(
    many.read(
      [waited, there].flatMap((each) => each ?? []),
      wish(),
    ),
  )
  await eventually('the other is there', () => asked.get(String(there)) === 1)
  await nextTurn()
  hidden += 1
  gate.resolve()
  expect([(await told).map((each) => each === 'crowded'), asked.get(String(there))]).toEqual([
    [false, false],
    3,
  ])
})
