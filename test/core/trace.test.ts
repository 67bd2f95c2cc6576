import { afterEach, describe, expect, it } from 'vitest'
import { beginStep, installTracer, type Tracer, traced, whereTraced } from '#src/core/trace.ts'

let uninstall = () => {}
afterEach(() => uninstall())

/** Writes down what it is told. */
function recorder() {
  const lines: string[] = []
  const tracer: Tracer = {
    begin(kind, name, facts, from) {
      lines.push(`${kind} ${name} ${JSON.stringify(facts)} ${from}`)
      return {
        run: (work) => work(),
        end: (more, failure) => lines.push(`end ${name} ${JSON.stringify(more)} ${failure}`),
      }
    },
    here: () => 'here',
  }
  uninstall = installTracer(tracer)
  return lines
}

describe('steps', () => {
  it('are simply done when nothing is traced', async () => {
    const work = Promise.resolve(7)
    expect(traced('inside', 'a', {}, () => work)).toBe(work)
    expect([beginStep('inside', 'a', {}), whereTraced()]).toEqual([null, null])
  })

  it('tell how they began and ended', async () => {
    const lines = recorder()
    const told = (result: number) => ({ result })
    expect(await traced('working', 'a', { lane: 'x' }, async () => 7, { from: 'there', told })).toBe(7)
    expect(lines).toEqual(['working a {"lane":"x"} there', 'end a {"result":7} null'])
  })

  it('that fail tell the code and no word of the message, and fail as they did', async () => {
    const lines = recorder()
    const failure = Object.assign(new Error('about 901012121'), { code: 'tidsfrist' })
    await expect(traced('asking', 'a', {}, () => Promise.reject(failure))).rejects.toBe(failure)
    await expect(traced('asking', 'b', {}, () => Promise.reject(new Error('901012121')))).rejects.toThrow()
    expect(lines.filter((line) => line.startsWith('end'))).toEqual([
      'end a {} tidsfrist',
      'end b {} ukjent_feil',
    ])
  })

  it('are no longer told of once the tracer is taken out', () => {
    const lines = recorder()
    uninstall()
    expect(beginStep('inside', 'a', {})).toBeNull()
    expect(lines).toEqual([])
  })
})
