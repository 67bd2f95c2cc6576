import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
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
})
