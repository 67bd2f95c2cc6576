import { readdirSync, readFileSync } from 'node:fs'
import { join, posix, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

/** The house from the top down. A room may import itself and every lower floor; never a neighbour, never upwards. */
const floors: string[][] = [
  ['src/server.ts', 'src/migrate.ts', 'workers/main.ts', 'config/tools'],
  ['src/wiring'],
  ['src/http', 'workers'],
  ['src/search'],
  ['src/record', 'src/access', 'src/sales', 'src/ops'],
  ['src/sources', 'src/samples', 'src/cache', 'src/storage', 'src/queue', 'src/mail', 'src/vipps'],
  ['src/core', 'config'],
]

const root = fileURLToPath(new URL('..', import.meta.url))

describe('the house', () => {
  it('every import runs within its room or down to a lower floor', () => {
    const broken = files().flatMap((file) =>
      importsOf(file)
        .filter((target) => !isAllowed(file, target))
        .map((target) => `${file} → ${target}`),
    )
    expect(broken).toEqual([])
  })

  it('the ground imports nothing of ours but the ground', () => {
    const core = files().filter((file) => file.startsWith('src/core/'))
    expect(core.flatMap(importsOf).filter((target) => !target.startsWith('src/core/'))).toEqual([])
  })

  it('every file belongs to a room that is drawn', () => {
    expect(files().filter((file) => roomOf(file) === null)).toEqual([])
  })
})

function files(): string[] {
  return ['src', 'workers', 'config'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => posix.join(folder, name.replaceAll('\\', '/'))),
  )
}

/** Type imports count: knowing a neighbour's words is knowing the neighbour. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  const specifiers = [...text.matchAll(/^(?:import|export)\b[^'"]*?from\s+'([^']+)'|\bimport\('([^']+)'\)/gm)]
  return specifiers
    .map((match) => match[1] ?? match[2] ?? '')
    .filter((specifier) => specifier.startsWith('.') || specifier.startsWith('#'))
    .map((specifier) =>
      specifier.startsWith('#')
        ? specifier.slice(1)
        : relative(root, join(root, posix.dirname(file), specifier)).replaceAll('\\', '/'),
    )
}

function roomOf(file: string): { floor: number; room: string } | null {
  const found = floors
    .flatMap((rooms, floor) => rooms.map((room) => ({ floor, room })))
    .filter(({ room }) => file === room || file.startsWith(`${room}/`))
    .sort((a, b) => b.room.length - a.room.length)
  return found[0] ?? null
}

function isAllowed(file: string, target: string): boolean {
  const from = roomOf(file)
  const to = roomOf(target)
  if (from === null || to === null) return false
  return from.room === to.room || to.floor > from.floor || (isGround(from) && isGround(to))
}

/** The two rooms of the ground know each other: configuration is read with the ground's errors. */
function isGround({ room }: { room: string }): boolean {
  return room === 'config' || room === 'src/core'
}
