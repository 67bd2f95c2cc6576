import { describe, expect, it } from 'vitest'
import { lookWhenLate } from '#src/record/late-look.ts'

const patient = () => new AbortController().signal

describe('a second place to look', () => {
  it('is not looked into when the first was in time', () => {
    let looks = 0
    const late = lookWhenLate(async () => looks++, 60_000)
    late.end()
    expect(looks).toBe(0)
  })

  it('is looked into once when the first fails, and what is there is given', async () => {
    let looks = 0
    const late = lookWhenLate(async () => ++looks, 60_000)
    expect(await late.found(patient())).toBe(1)
    expect(await late.found(patient())).toBe(1)
    late.end()
  })

  it('is at hand in the turn in which the reader’s time runs out', async () => {
    const begun = Promise.withResolvers<void>()
    const late = lookWhenLate(async () => {
      begun.resolve()
      return 'kept'
    }, 1)
    await begun.promise
    const order: string[] = []
    setImmediate(() => order.push('next turn'))
    await late.found(AbortSignal.abort()).then((kept) => order.push(kept ?? 'nothing'))
    expect(order).toEqual(['kept'])
    late.end()
  })

  it('is not begun for a reader who has gone', async () => {
    let looks = 0
    const late = lookWhenLate(async () => looks++, 60_000)
    expect(await late.found(AbortSignal.abort())).toBeNull()
    expect(looks).toBe(0)
    late.end()
  })
})
