import { MessageChannel } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import { rest, untilAborted, within } from '#src/core/wait.ts'
import { beBusyFor } from '../support/be-busy.ts'

const never = new Promise<never>(() => {})
const late = () => 'late'

describe('a promise against a clock', () => {
  it('gives what came, fails as it failed, or gives what stands for late', async () => {
    expect(await within(Promise.resolve('answer'), 60_000, late)).toBe('answer')
    await expect(within(Promise.reject(new Error('its own')), 60_000, late)).rejects.toThrow('its own')
    expect(await within(never, 1, late)).toBe('late')
    await expect(
      within(never, 1, () => {
        throw new Error('too late')
      }),
    ).rejects.toThrow('too late')
  })

  it('a process that stood still takes the answer that has come meanwhile', async () => {
    // From here on timers come before what is read.
    await new Promise(setImmediate)
    const { promise, resolve } = Promise.withResolvers<string>()
    const { port1, port2 } = new MessageChannel()
    port1.once('message', resolve)
    const waiting = within(promise, 1, late)
    port2.postMessage('answer')
    beBusyFor(5)
    expect(await waiting).toBe('answer')
    port1.close()
  })

  it('what fails after it was given up is nobody’s fault', async () => {
    const { promise, reject } = Promise.withResolvers<never>()
    expect(await within(promise, 1, late)).toBe('late')
    reject(new Error('nobody hears this'))
  })
})

describe('a promise against a signal', () => {
  it('gives what came, or the signal’s reason at once', async () => {
    const going = new AbortController()
    expect(await untilAborted(Promise.resolve('answer'), going.signal)).toBe('answer')
    expect(await untilAborted(Promise.resolve('answer'), undefined)).toBe('answer')
    const leaving = untilAborted(never, going.signal)
    going.abort(new Error('not wanted'))
    await expect(leaving).rejects.toThrow('not wanted')
    await expect(untilAborted(never, going.signal)).rejects.toThrow('not wanted')
  })
})

describe('a rest', () => {
  it('ends with the signal, and that is no fault; one that is aborted already, or of no time, is none', async () => {
    const ending = new AbortController()
    const resting = rest(3_600_000, ending.signal)
    ending.abort()
    await resting
    await rest(3_600_000, ending.signal)
    await rest(0, new AbortController().signal)
    await rest(1, new AbortController().signal)
  })
})
