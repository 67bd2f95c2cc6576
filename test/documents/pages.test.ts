import { existsSync } from 'node:fs'
import { join, posix } from 'node:path'
import GithubSlugger from 'github-slugger'
import { describe, expect, it } from 'vitest'
import { variables } from '#config/environment.ts'
import { problems } from '#src/http/problems.ts'
import { project, read, written } from './texts.ts'

/** The guides are pages of the site: their links are its addresses, and its own test follows them. */
const elsewhere = ['test/bench/results/', 'src/pages/documentation/guides/']
const pages = written(/\.md$/).filter((page) => elsewhere.every((folder) => !page.startsWith(folder)))
const scripts = Object.keys(JSON.parse(read('package.json')).scripts)

describe('the pages', () => {
  it('the first one is a page: 150 lines at most', () => {
    expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(150)
  })

  it.each(pages)('%s: every link leads somewhere', (page) => {
    const broken = linksOf(page).filter(({ file, anchor }) => {
      if (!existsSync(join(project, file))) return true
      return anchor !== '' && !anchorsOf(file).includes(anchor)
    })
    expect(broken).toEqual([])
  })

  it.each(pages)('%s: every file and every script it names is there', (page) => {
    const files = [...read(page).matchAll(/`((?:src|workers|test|config)\/[\w./-]+)`/g)].map(
      ([, file = '']) => file,
    )
    expect(files.filter((file) => !existsSync(join(project, file)))).toEqual([])
    const named = [...read(page).matchAll(/npm run (?:-s )?([a-z:-]+)/g)].map(([, script = '']) => script)
    expect(named.filter((script) => !scripts.includes(script))).toEqual([])
  })

  it('each is reached from the first one', () => {
    const reached = new Set(['README.md'])
    for (const page of reached) {
      for (const { file } of linksOf(page)) if (file.endsWith('.md')) reached.add(file)
    }
    expect(pages.filter((page) => !reached.has(page))).toEqual([])
  })

  it('every variable stands in the table of variables, and nothing else does', () => {
    const named = rowsOf('config/configuration.md').flatMap(([first = '']) => codesIn(first))
    expect(named.toSorted()).toEqual(Object.keys(variables).toSorted())
  })

  it('every problem stands in the table of problems with its status', () => {
    const table = rowsOf('src/api/calling.md')
      .filter(([, status]) => /^[45][0-9]{2}$/.test(status ?? ''))
      .flatMap(([code = '', status = '', , second = '', secondStatus = '']) => [
        [codesIn(code)[0], Number(status)],
        ...codesIn(second).map((each) => [each, Number(secondStatus)]),
      ])
    const there = Object.entries(problems).map(([kode, { status }]) => [kode, status])
    expect(table.toSorted()).toEqual(there.toSorted())
  })
})

/** To files of the project, as paths from its top. */
function linksOf(page: string): { file: string; anchor: string }[] {
  return [
    ...prose(read(page))
      .replace(/`[^`\n]*`/g, '')
      .matchAll(/\]\(([^)\s]+)\)/g),
  ]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [path = '', anchor = ''] = target.split('#')
      return { file: path === '' ? page : posix.join(posix.dirname(page), path), anchor }
    })
}

function anchorsOf(page: string): string[] {
  const slugger = new GithubSlugger()
  return [...prose(read(page)).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => slugger.slug(heading))
}

/** Without what stands in fences and in indented lines. */
function prose(text: string): string {
  return text.replace(/^```[\s\S]*?^```$/gm, '').replace(/^ {4}.*$/gm, '')
}

function rowsOf(page: string): string[][] {
  return [...read(page).matchAll(/^\| (.*) \|$/gm)].map(([, row = '']) =>
    row.split('|').map((cell) => cell.trim()),
  )
}

function codesIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)
}
