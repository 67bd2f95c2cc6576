import { describe, expect, it } from 'vitest'
import { oneForAll } from '#src/core/one-for-all.ts'

describe('P148: what takes its time', () => {
  it('is done once for all who ask meanwhile, and never for whoever asked after it was begun', async () => {
    let begun = 0
    const held: (() => void)[] = []
    const ask = oneForAll(async () => {
      begun += 1
      const mine = begun
      await new Promise<void>((resolve) => held.push(resolve))
      return mine
    })
    const first = ask()
    await Promise.resolve()
    const others = Array.from({ length: 100 }, ask)
    expect(begun).toBe(1)
    held[0]?.()
    expect(await first).toBe(1)
    while (held.length < 2) await new Promise((resolve) => setImmediate(resolve))
    held[1]?.()
    expect(new Set(await Promise.all(others))).toEqual(new Set([2]))
  })

  it('and waits long for somebody else is begun again after a short rest', async () => {
    let begun = 0
    const ask = oneForAll(
      async () => {
        begun += 1
        await new Promise((resolve) => setTimeout(resolve, 20))
      },
      { restTimes: 1e6, restMsMax: 1 },
    )
    await ask()
    await ask()
    expect(begun).toBe(2)
  })

  it('and fails has failed for those alone', async () => {
    let times = 0
    const ask = oneForAll(async () => {
      times += 1
      if (times === 1) throw new Error('once')
      return times
    })
    await expect(ask()).rejects.toThrow('once')
    expect(await ask()).toBe(2)
  })
})
