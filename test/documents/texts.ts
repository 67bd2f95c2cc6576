import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const project = fileURLToPath(new URL('../../', import.meta.url))

export function read(path: string): string {
  return readFileSync(join(project, path), 'utf8')
}

/** Paths of what was written by hand: the top of the project and its folders, without what a run leaves behind. */
export function written(ending: RegExp): string[] {
  const atTheTop = readdirSync(project, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
  const below = ['src', 'workers', 'config', 'test', '.ci'].flatMap((folder) =>
    readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
      join(folder, name).replaceAll('\\', '/'),
    ),
  )
  return [...atTheTop, ...below].filter((path) => ending.test(path) && !path.startsWith('test/results/'))
}
