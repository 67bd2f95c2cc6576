import { describe, expect, it } from 'vitest'
import { createLogLines } from '#src/core/log/lines.ts'
import { eventually } from '../../support/eventually.ts'

const bounds = {
  waitingMax: 100,
  gatheredMax: 50,
  gatherMs: 1,
  retryMs: 1,
  slowRetryMs: 1,
  flushWithinMs: 60_000,
}
const line = (index: number) => `line ${index}\n`

/** An output that takes what it is told to: bytes at a time, or an error. */
function createOutput() {
  let written = ''
  const output = {
    bytesAtOnce: 1000,
    fault: null as string | null,
    text: () => written,
    async write(bytes: Buffer): Promise<number> {
      if (output.fault !== null) throw Object.assign(new Error('no'), { code: output.fault })
      const taken = bytes.subarray(0, output.bytesAtOnce)
      written += taken.toString('latin1')
      return taken.length
    },
  }
  return output
}

describe('P44: lines that can not be written', () => {
  const open = (output: ReturnType<typeof createOutput>) => {
    const troubles: string[] = []
    const lines = createLogLines(output, {
      bounds,
      lostLine: (count) => `${count} lost\n`,
      onTrouble: (code) => troubles.push(code),
    })
    return { ...lines, troubles }
  }

  it.each(['ENOSPC', 'EPIPE', 'EIO'])(
    '%s: they are kept within a bound, then lost and counted, and it is said when there is room again',
    async (code) => {
      const output = createOutput()
      const lines = open(output)
      lines.write(line(1))
      await lines.flushed()
      output.fault = code
      for (let index = 2; index <= 1000; index++) lines.write(line(index))
      await eventually('it is noticed', () => lines.troubles.length > 0)
      // Nobody waits for what can not be.
      await lines.flushed()
      const kept = 1 + (999 - lines.lost())
      expect(lines.lost()).toBeGreaterThan(900)
      output.fault = null
      await eventually('it is said', () => output.text().includes('lost'))
      lines.write(line(1001))
      await lines.flushed()
      const inOrder = Array.from({ length: kept }, (_, index) => line(index + 1)).join('')
      expect(output.text()).toBe(`${inOrder}${1000 - kept} lost\n${line(1001)}`)
      expect(lines.troubles).toEqual([code])
    },
  )

  it('an output that takes a byte at a time and is mostly busy gets every line whole', async () => {
    const output = createOutput()
    const lines = open(output)
    output.bytesAtOnce = 1
    output.fault = 'EAGAIN'
    lines.write('blåbær\n')
    lines.write('ærfugl\n')
    output.fault = null
    await lines.flushed()
    expect(Buffer.from(output.text(), 'latin1').toString()).toBe('blåbær\nærfugl\n')
    expect([lines.troubles, lines.lost()]).toEqual([[], 0])
  })

  it('P128: what comes in crowds is written in blocks, with the next line that is not, within a moment, and when all is asked for', async () => {
    const output = createOutput()
    const lines = open(output)
    let writes = 0
    const { write } = output
    output.write = (bytes) => {
      writes += 1
      return write(bytes)
    }
    for (let index = 1; index <= 7; index++) lines.gather(line(index))
    await lines.flushed()
    expect([writes, output.text()]).toEqual([1, [1, 2, 3, 4, 5, 6, 7].map(line).join('')])
    lines.gather(line(8))
    lines.write(line(9))
    await lines.flushed()
    expect([writes, output.text()]).toEqual([2, [1, 2, 3, 4, 5, 6, 7, 8, 9].map(line).join('')])
    lines.gather(line(10))
    await eventually('a moment is over', () => output.text().endsWith(line(10)))
    lines.gather('x'.repeat(bounds.gatheredMax))
    await eventually('a block is full', () => output.text().endsWith('x'))
    // No room: counted as any other.
    output.fault = 'EIO'
    lines.gather('x\n'.repeat(bounds.waitingMax))
    expect(lines.lost()).toBe(bounds.waitingMax)
  })

  it('whoever can wait is told to, and when there is room', async () => {
    const output = createOutput()
    const lines = open(output)
    output.fault = 'EAGAIN'
    expect(lines.push(line(1))).toBe(true)
    expect(lines.push('x'.repeat(bounds.waitingMax))).toBe(false)
    const room = new Promise<void>((resolve) => lines.onRoom(resolve))
    output.fault = null
    await room
    expect(lines.push(line(2))).toBe(true)
    expect(lines.lost()).toBe(0)
  })
})
