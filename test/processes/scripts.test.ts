import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createTestDatabase } from '#test/support/database.ts'
import manifest from '../../package.json' with { type: 'json' }

const root = new URL('../../', import.meta.url)

describe('P41: the commands of package.json', () => {
  it.each(Object.entries(manifest.scripts))('%s is one command, through the one door', (_, line) => {
    const [first, ...rest] = line.split(' ')
    expect([first, ...rest.slice(0, 2)]).toEqual(['exec', 'node', 'config/tools/run.mjs'])
    // A second command in the line would run on the Node the shell remembers.
    expect(line).not.toMatch(/[;&|]/)
    const [program] = rest.slice(2).filter((word) => !word.startsWith('-'))
    if (program !== undefined) expect(existsSync(new URL(program, root)), program).toBe(true)
  })

  it.each(
    Object.entries(manifest.scripts).filter(([, line]) => !/node_modules|oppslag|test\/run/.test(line)),
  )('%s --help says what it does, and does nothing', (_, line) => {
    const [, , ...parameters] = line.split(' ')
    const help = execFileSync(process.execPath, [...parameters, '--help'], { cwd: root, encoding: 'utf8' })
    expect(help).toMatch(/^[A-Z][^*]{10,}\.\n$/)
  })

  it('oppslag --help is its own list of commands', () => {
    const [, , ...parameters] = manifest.scripts.oppslag.split(' ')
    const help = execFileSync(process.execPath, [...parameters, '--help'], { cwd: root, encoding: 'utf8' })
    expect(help).toMatch(/^Bruk: oppslag/)
  })

  describe('a reader who has seen enough (`| head`, `2>&1 | head`) ends nothing', () => {
    it.each([
      ['oppslag', ['src/commands/oppslag.ts', '--help'], 0, ''],
      ['oppslag, of what it complains', ['src/commands/oppslag.ts', 'ukjent'], 2, null],
      ['migrate', ['src/commands/migrate.ts'], 0, ''],
    ])('of %s', async (_, command, expected, complained) => {
      const database = await createTestDatabase({ isMigrated: false })
      try {
        const env = { PATH: process.env.PATH, DATABASE_URL: database.url }
        const child = spawn(process.execPath, command, { cwd: root, env })
        const complaints: string[] = []
        child.stdout.destroy()
        if (complained === null) child.stderr.destroy()
        else child.stderr.setEncoding('utf8').on('data', (text: string) => complaints.push(text))
        const [code] = await once(child, 'close')
        expect([code, complaints.join('')]).toEqual([expected, complained ?? ''])
      } finally {
        await database.close()
      }
    })
  })
})
