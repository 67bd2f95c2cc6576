import { afterEach, describe, expect, it, vi } from 'vitest'
import { print, printJson } from '#src/commands/oppslag/output.ts'
import { runCommand } from '#test/support/command.ts'

const TEXT = 'Ola\u001b[2J\u009b31m\u0007\r\u202egnp\u2066 AS'

afterEach(() => vi.restoreAllMocks())

function written(what: () => void): string {
  const out: string[] = []
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => out.push(String(text)) > 0)
  what()
  return out.join('')
}

describe('P151: what strangers are called, on an operator’s terminal', () => {
  it('attack: moves no cursor, rings no bell and turns no direction', () => {
    expect(written(() => print('første', `\t${TEXT}`))).toBe('første\n\tOla [2J 31m   gnp  AS\n')
  })

  it('attack: begins no line of its own where one of ours stands', () => {
    expect(written(() => print('første', 'Ola AS\nGALT: alt\r\nsiste'))).toBe(
      'første\nOla AS GALT: alt  siste\n',
    )
  })

  it('attack: does so neither where it was typed, and is repeated', async () => {
    for (const args of [[TEXT], ['gjenopprett', `/finnes/${TEXT}`, '--prov']]) {
      const { code, out, err } = await runCommand({}, args)
      expect([code > 0, out + err]).toEqual([true, expect.not.stringMatching(/[^\P{Cc}\n]|[\u202e\u2066]/u)])
      expect(err).toContain('Ola')
    }
  })

  it('attack: reaches a program letter for letter, and no terminal on the way', () => {
    const json = written(() => printJson({ navn: TEXT }))
    expect(json).toMatch(/^[\x20-\x7e\n]*$/)
    expect(JSON.parse(json)).toEqual({ navn: TEXT })
  })
})
