import { readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const PROJECT = fileURLToPath(new URL('../..', import.meta.url))

/**
 * The release this process runs, as `0.1.0+1dce85c0a1b2`: two that differ in anything that was committed have two names. The
 * commit is what the image was told when it was built, or of the clone the program lies in; `unknown` where nobody says.
 */
export function readVersion({
  commit,
  folder = PROJECT,
}: {
  commit: string | null
  folder?: string
}): string {
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }
  return `${version}+${(commit ?? commitOf(folder))?.slice(0, 12) ?? 'unknown'}`
}

/** As Git keeps it, without the program: a clone's folder, or a worktree's file that names its own. */
function commitOf(folder: string): string | null {
  try {
    const git = gitFolder(join(folder, '.git'))
    const head = readFileSync(join(git, 'HEAD'), 'utf8').trim()
    const branch = /^ref: (refs\/\S+)$/.exec(head)?.[1]
    return asCommit(branch === undefined ? head : headOf(branch, git))
  } catch {
    return null
  }
}

function gitFolder(path: string): string {
  if (statSync(path).isDirectory()) return path
  return resolve(
    path,
    '..',
    readFileSync(path, 'utf8')
      .replace(/^gitdir: /, '')
      .trim(),
  )
}

function headOf(branch: string, git: string): string {
  // What worktrees share lies with the clone they belong to.
  const shared = textOf(join(git, 'commondir'))
  const common = shared === null ? git : resolve(git, shared.trim())
  const packed = textOf(join(common, 'packed-refs')) ?? ''
  const line = packed.split('\n').find((each) => each.endsWith(` ${branch}`))
  return textOf(join(common, branch))?.trim() ?? line?.split(' ')[0] ?? ''
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

function asCommit(text: string): string | null {
  return /^[0-9a-f]{40,64}$/.test(text) ? text : null
}
