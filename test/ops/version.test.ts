import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readVersion } from '#src/ops/version.ts'

const A = 'a1'.repeat(20)
const B = 'b2'.repeat(20)

describe('P49: the release a process runs', () => {
  let folder: string

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'oppslag-utgave-'))
    await file('package.json', '{ "version": "0.1.0" }')
  })
  afterEach(() => rm(folder, { recursive: true }))

  async function file(name: string, text: string): Promise<void> {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  const version = (commit: string | null = null) => readVersion({ commit, folder })

  it('is the commit it was told, whatever lies around it', async () => {
    await file('.git/HEAD', `${B}\n`)
    expect(version(A)).toBe('0.1.0+a1a1a1a1a1a1')
  })

  it.each([
    ['a commit by itself', { '.git/HEAD': `${A}\n` }],
    ['a branch', { '.git/HEAD': 'ref: refs/heads/x/y\n', '.git/refs/heads/x/y': `${A}\n` }],
    [
      'a branch that was packed',
      {
        '.git/HEAD': 'ref: refs/heads/main\n',
        '.git/packed-refs': `# pack-refs\n${B} refs/heads/other/main\n${A} refs/heads/main\n`,
      },
    ],
    [
      'a branch that has moved since it was packed',
      {
        '.git/HEAD': 'ref: refs/heads/main\n',
        '.git/packed-refs': `${B} refs/heads/main\n`,
        '.git/refs/heads/main': `${A}\n`,
      },
    ],
    [
      'a worktree',
      {
        '.git': 'gitdir: ./clone/.git/worktrees/one\n',
        'clone/.git/worktrees/one/HEAD': 'ref: refs/heads/one\n',
        'clone/.git/worktrees/one/commondir': '../..\n',
        'clone/.git/refs/heads/one': `${A}\n`,
      },
    ],
  ])('is the commit of the clone it lies in: %s', async (_, files: Record<string, string>) => {
    for (const [name, text] of Object.entries(files)) await file(name, text)
    expect(version()).toBe('0.1.0+a1a1a1a1a1a1')
  })

  it.each([
    ['there is none', {}],
    ['its branch has no commit yet', { '.git/HEAD': 'ref: refs/heads/main\n' }],
    ['it is something else', { '.git': 'hei' }],
  ])('is not known where nobody says: %s', async (_, files: Record<string, string>) => {
    for (const [name, text] of Object.entries(files)) await file(name, text)
    expect(version()).toBe('0.1.0+unknown')
  })
})
