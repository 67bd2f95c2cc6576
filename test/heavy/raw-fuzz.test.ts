import { describe, expect, it } from 'vitest'
import { sendRawBytes } from '../support/raw-fuzz.ts'

const COUNT = 20_000

describe('P43: twenty thousand requests of whatever bytes', () => {
  it('the public port and the operators’ answer without a fault of their own', async () => {
    for (const [port, { faults, understood }] of Object.entries(await sendRawBytes(COUNT))) {
      expect(faults, port).toEqual([])
      expect(understood, port).toBeGreaterThan(COUNT / 2)
    }
  }, 600_000)
})
