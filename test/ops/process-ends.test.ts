import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createLog } from '#src/core/log.ts'
import { createProcessEnds } from '#src/ops/process-ends.ts'
import { keepProcessEnd, type ProcessEnd, readProcessEnds } from '#src/storage/process-ends.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'

const at = new Date('2026-11-22T10:00:00.123Z')

let storage: TestDatabase
let folder: string

beforeAll(async () => {
  storage = await createTestDatabase()
})
afterAll(() => storage.close())
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'oppslag-slutt-')), 'avslutninger')
})
afterEach(async () => {
  await rm(join(folder, '..'), { recursive: true, force: true })
  await storage.database.query('truncate prosessfeil')
})

const there = (end: ProcessEnd) => keepProcessEnd(storage.database, end)
const away = () => Promise.reject(new Error('away'))
const hangs = () => new Promise<never>(() => {})

function ends(keep: (end: ProcessEnd) => Promise<void>) {
  return createProcessEnds({
    folder,
    about: { slag: 'front', versjon: '1.2.3' },
    now: () => at,
    keep,
    log: createLog({ level: 'silent', file: null }),
    policy: { endKeptWithinMs: keep === there ? 10_000 : 50, endsWaitingMax: 3 },
  })
}

/** As one of ours throws it. */
function fault(): Error {
  const error = Object.assign(new TypeError('Kari Nordmann, kari@example.com'), { code: 'ERR_NOE' })
  error.stack = [
    'TypeError: src/secret.ts:1:1',
    '    at Parser.parse (file:///srv/oppslag/node_modules/pg-protocol/src/parser.ts:106:9)',
    '    at read (file:///srv/oppslag/src/record/merge.ts:12:34)',
  ].join('\n')
  return error
}

const told = {
  slag: 'front',
  versjon: '1.2.3',
  endt: at,
  feil: 'TypeError (ERR_NOE)',
  sted: 'src/record/merge.ts:12:34',
}

describe('P42: that a process ended by an error', () => {
  it('is kept with what it was and where, and none of its words', async () => {
    await ends(there).ended(fault())
    const { antall, siste } = await readProcessEnds(storage.database)
    expect({ antall, siste }).toMatchObject({ antall: 1, siste: told })
    expect(JSON.stringify(siste)).not.toMatch(/Kari|example|secret/)
    expect(await readdir(join(folder, '..'))).toEqual([])
  })

  it.each([
    ['is away', away],
    ['does not answer', hangs],
  ])('while PostgreSQL %s is written down, and told once by the next process', async (_, keep) => {
    await ends(keep).ended(fault())
    const [name = ''] = await readdir(folder)
    expect(await readFile(join(folder, name), 'utf8')).not.toMatch(/Kari|example|secret/)
    await expect(ends(away).tellEarlier()).rejects.toThrow('away')
    await Promise.all([ends(there).tellEarlier(), ends(there).tellEarlier()])
    expect(await readProcessEnds(storage.database)).toMatchObject({ antall: 1, siste: told })
    expect(await readdir(folder)).toEqual([])
  })

  it('that can neither be told nor written costs a line of the log', async () => {
    await writeFile(folder, 'in the way')
    await expect(ends(away).ended(fault())).resolves.toBeUndefined()
  })

  it('is told of whatever was thrown', async () => {
    await ends(there).ended('en streng')
    expect((await readProcessEnds(storage.database)).siste).toMatchObject({ feil: 'string', sted: null })
  })

  it('is not told of what another hand wrote there, which goes', async () => {
    await mkdir(folder)
    await writeFile(join(folder, 'a.json'), '{"id":')
    await writeFile(join(folder, 'b.json'), JSON.stringify({ ...told, id: 'x', feil: 'y'.repeat(999) }))
    await ends(there).tellEarlier()
    expect(await readProcessEnds(storage.database)).toEqual({ antall: 0, siste: null })
    expect(await readdir(folder)).toEqual([])
  })

  it('P42: attack: is told though beside it lies what can not be told, or not be removed', async () => {
    const none = { ...told, id: 'a'.repeat(36), endt: '9'.repeat(23).concat('Z') }
    await mkdir(join(folder, 'a.json'), { recursive: true })
    await writeFile(join(folder, 'b.json'), JSON.stringify(none))
    await ends(away).ended(fault())
    const { tellEarlier } = ends(there)
    await Promise.all([tellEarlier(), tellEarlier()])
    expect(await readProcessEnds(storage.database)).toMatchObject({ antall: 1, siste: told })
    expect(await readdir(folder)).toEqual(['a.json'])
  })

  it('is counted for ever, and the last hundred are kept, whoever tells of them at once', async () => {
    await Promise.all(Array.from({ length: 120 }, () => ends(there).ended(fault())))
    expect((await readProcessEnds(storage.database)).antall).toBe(120)
    const [row] = await storage.database.query('select count(*)::int as antall from prosessfeil')
    expect(row).toEqual({ antall: 100 })
  })
})
