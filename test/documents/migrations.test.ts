import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const folder = new URL('../../src/storage/migrations/', import.meta.url)
const files = readdirSync(folder).filter((name) => name.endsWith('.sql'))

/** What these files make came with the first release: nothing older ever ran beside it. */
const FIRST_RELEASE = 9

/** The last that does not say since when programs work on what it leaves. */
const SILENT = 11

/** Sets right what databases have that were made by an earlier text of another: nothing is made stricter by it. */
const MENDING = ['0012_aksjonaerer_som_json.sql']

const landed: Record<string, string[]> = JSON.parse(readFileSync(new URL('landed.json', folder), 'utf8'))

describe('P46: a migration that has landed is never edited', () => {
  it('each has its checksum in landed.json, and each checksum its migration', () => {
    const now = files.map((name) => {
      const sql = readFileSync(new URL(name, folder), 'utf8').replaceAll('\r\n', '\n')
      return [name, createHash('sha256').update(sql).digest('hex')]
    })
    // A new file: add its line. A file that has landed: restore it, and put the change in a new one.
    expect(Object.entries(landed).map(([name, [current]]) => [name, current])).toEqual(now)
  })

  it('the checksums of other texts are those of one that was once edited, which a later one sets right', () => {
    const edited = Object.entries(landed).filter(([, checksums]) => checksums.length > 1)
    expect(edited.map(([name]) => name)).toEqual(['0005_aksjonaerer.sql'])
  })

  it.each(files.filter((name) => Number(name.slice(0, 4)) > SILENT))(
    '%s says since when programs work on what it leaves, and those of the release before do',
    (name) => {
      const sql = readFileSync(new URL(name, folder), 'utf8')
      const worksFrom = Number(/^-- .+\n-- Works from: (\d{4})\n/.exec(sql)?.[1])
      expect(worksFrom).toBeGreaterThanOrEqual(SILENT)
      expect(worksFrom).toBeLessThan(Number(name.slice(0, 4)))
    },
  )
})

/**
 * The new release's migrations run while processes of the release before serve and write. What that release reads and writes
 * must go on working: so nothing it knows is taken away, renamed or made stricter. That is done one release later.
 */
const BREAKING: readonly { what: string; form: RegExp }[] = [
  {
    what: 'takes away a table, a column or a function',
    form: /\bdrop\s+(table|column|function|view|type|schema)\b/i,
  },
  { what: 'renames', form: /\brename\b/i },
  { what: 'changes the type of a column', form: /\balter\s+column\s+\w+\s+(set\s+data\s+)?type\b/i },
  { what: 'refuses rows the release before writes', form: /\bset\s+not\s+null\b/i },
  {
    what: 'adds a column the release before can not fill',
    form: /\badd\s+column\s+(?![^,;]*\bdefault\b)[^,;]*\bnot\s+null\b/i,
  },
  { what: 'locks a table whole', form: /\block\s+table\b|\bvacuum\s+full\b|\bcluster\b/i },
]

describe('a migration leaves the release before it working', () => {
  const later = files.filter((name) => Number(name.slice(0, 4)) > FIRST_RELEASE && !MENDING.includes(name))

  it.each(later)('%s', (name) => {
    expect(faultsOf(readFileSync(new URL(name, folder), 'utf8'))).toEqual([])
  })

  it.each([
    ['alter table ordre drop column epost;', 'takes away'],
    ['alter table ordre rename column epost to adresse;', 'renames'],
    ['alter table ordre alter column belop_ore type bigint;', 'changes the type'],
    ['alter table ordre alter column epost set not null;', 'refuses rows'],
    ['alter table ordre add column kanal text not null, add column b int;', 'can not fill'],
    ['lock table ordre;', 'locks'],
  ])('found: %s', (sql, what) => {
    expect(faultsOf(`-- Does it.\n${sql}`).join()).toContain(what)
  })

  it.each([
    'alter table ordre add column kanal text;',
    "alter table ordre add column kanal text not null default 'nett', add column b int;",
    "alter table ordre add column kanal text default 'nett' not null;",
    'create table ny (id text primary key, navn text not null);',
    '-- Nothing is renamed, and nothing dropped: drop table ordre;\nselect 1;',
    'alter table ordre alter column epost drop not null;',
  ])('allowed: %s', (sql) => {
    expect(faultsOf(sql)).toEqual([])
  })
})

function faultsOf(sql: string): string[] {
  const statements = sql.replace(/--.*$/gm, '')
  return BREAKING.filter(({ form }) => form.test(statements)).map(({ what }) => what)
}
