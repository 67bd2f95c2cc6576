import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

/** The house from the top down. A room may import itself and every lower floor; never a neighbour, never upwards. */
const floors: string[][] = [
  ['src/commands'],
  ['src/wiring'],
  ['src/front', 'workers'],
  ['src/api', 'src/pages', 'src/operators'],
  ['src/http'],
  ['src/push'],
  ['src/search', 'src/changes'],
  ['src/record', 'src/access', 'src/sales', 'src/ops', 'src/imports', 'src/backup'],
  ['src/samples', 'src/cache', 'src/storage', 'src/queue', 'src/mail', 'src/vipps'],
  ['src/sources', 'src/embedded'],
  ['src/upstream'],
  ['config'],
  ['src/core', 'src/clients'],
]
const SHARE_MAX = 0.15
const EXPORTED = /^export (?:async )?(?:function\*?|const|type|interface|class) (\w+)/gm

const root = fileURLToPath(new URL('..', import.meta.url))
/** A room is a folder of `src`, or one of the two beside it: nobody can draw them otherwise. */
const rooms = [
  ...readdirSync(join(root, 'src'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `src/${name}`),
  'workers',
  'config',
]
const files = new Map(
  rooms.flatMap((room) =>
    readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => posix.join(room, name.replaceAll('\\', '/')))
      .map((file) => [file, readFileSync(join(root, file), 'utf8')] as const),
  ),
)
const imports = new Map([...files].map(([file, text]) => [file, importsIn(file, text)]))

describe('the house', () => {
  it('every room stands on one floor, and no file beside the rooms', () => {
    expect(floors.flat().sort()).toEqual([...rooms].sort())
    expect(readdirSync(join(root, 'src')).filter((name) => name.endsWith('.ts'))).toEqual([])
  })

  it('every import runs within its room or down to a lower floor', () => {
    const broken = [...imports].flatMap(([file, targets]) =>
      targets.filter((target) => !isAllowed(file, target)).map((target) => `${file} → ${target}`),
    )
    expect(broken).toEqual([])
  })

  it('no file comes back to itself along its imports', () => {
    expect(inCircles(imports)).toEqual([])
  })

  it('an exported name means one thing: no two files export the same', () => {
    // A package for callers speaks of what is answered, and knows nothing of the house.
    const own = [...files].filter(([file]) => !file.startsWith('src/clients/'))
    const exported = own.flatMap(([file, text]) =>
      [...new Set([...text.matchAll(EXPORTED)].map(([, name]) => name ?? ''))].map((name) => ({
        name,
        file,
      })),
    )
    const doubled = [...Map.groupBy(exported, ({ name }) => name)]
      .filter(([, places]) => places.length > 1)
      .map(([name, places]) => `${name}: ${places.map(({ file }) => file).join(', ')}`)
    expect(doubled).toEqual([])
  })

  it(`no room holds more than ${SHARE_MAX * 100} % of the lines`, () => {
    const lines = (room: string) =>
      [...files]
        .filter(([file]) => roomOf(file) === room)
        .reduce((sum, [, text]) => sum + text.split('\n').length, 0)
    const all = rooms.reduce((sum, room) => sum + lines(room), 0)
    expect(rooms.filter((room) => lines(room) > SHARE_MAX * all)).toEqual([])
  })

  it.each(rooms)('%s opens with three lines: what it is, what it promises, what it must not know', (room) => {
    const opening = join(root, room, 'README.md')
    expect(existsSync(opening)).toBe(true)
    expect(readFileSync(opening, 'utf8')).toMatch(
      /^# .+\n\n- \*\*is\*\* .+\n- \*\*promises\*\* .+\n- \*\*must not know\*\* .+\n/,
    )
  })
})

describe('the tests', () => {
  it('start processes of the service, and browsers, in test/processes or test/heavy and nowhere else', () => {
    const tests = new Map(
      readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .map((name) => posix.join('test', name.replaceAll('\\', '/')))
        .map((file) => [file, importsIn(file, readFileSync(join(root, file), 'utf8'))] as const),
    )
    const starting = new Set(['test/support/processes.ts', 'test/support/browser.ts'])
    for (let before = -1; before !== starting.size; ) {
      before = starting.size
      for (const [file, targets] of tests)
        if (targets.some((target) => starting.has(target))) starting.add(file)
    }
    const elsewhere = [...starting].filter(
      (file) => file.endsWith('.test.ts') && !/^test\/(processes|heavy)\//.test(file),
    )
    expect(elsewhere).toEqual([])
    expect(starting.size).toBeGreaterThan(30)
  })
})

/** Type imports count: knowing a neighbour's words is knowing the neighbour. Packages do not. */
function importsIn(file: string, text: string): string[] {
  return [
    ...text.matchAll(
      /^(?:import|export)\b[^'"]*?from\s+'([^']+)'|\bimport\(\s*'([^']+)'|^import '([^']+)'/gm,
    ),
  ]
    .map((match) => match[1] ?? match[2] ?? match[3] ?? '')
    .flatMap((specifier) => {
      if (specifier.startsWith('#')) return [specifier.slice(1)]
      return specifier.startsWith('.') ? [posix.join(posix.dirname(file), specifier)] : []
    })
}

/** Files that import none of those left, or that none of those left imports, are taken away until there are none. */
function inCircles(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const left = new Set(graph.keys())
  for (let before = -1; before !== left.size; ) {
    before = left.size
    for (const file of left) if (!graph.get(file)?.some((target) => left.has(target))) left.delete(file)
    const imported = new Set([...left].flatMap((file) => graph.get(file) ?? []))
    for (const file of left) if (!imported.has(file)) left.delete(file)
  }
  return [...left]
}

function roomOf(file: string): string | undefined {
  return rooms.find((room) => file.startsWith(`${room}/`))
}

function floorOf(room: string | undefined): number {
  return floors.findIndex((each) => each.some((name) => name === room))
}

function isAllowed(file: string, target: string): boolean {
  const from = roomOf(file)
  const to = roomOf(target)
  return to !== undefined && (from === to || floorOf(to) > floorOf(from))
}
