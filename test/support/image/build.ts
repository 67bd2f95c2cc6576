import { execFile, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const options = { maxBuffer: 64 * 1024 * 1024, env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } }
const TOOLS = ['buildah', 'mmdebstrap']

export const BUILD_COMMAND = `apt-get install ${TOOLS.join(' ')}`

/** The image, built, and unpacked where it can be looked into and run. */
export type Built = {
  /** What is the root of the file system in the image. */
  root: string
  /** Where its processes start. */
  folder: string
  uid: number
  gid: number
  env: Record<string, string>
  entrypoint: string[]
  command: string[]
  health: string[]
}

/** Whether an image can be built on this machine: by root, with what is there or, where apt may, what is installed now. */
export function canBuildImages(): boolean {
  if (process.getuid?.() !== 0) return false
  const areThere = () => TOOLS.every((tool) => spawnSync(tool, ['--version']).status === 0)
  if (!areThere() && existsSync('/usr/bin/apt-get')) {
    const script = `apt-get -qq update && apt-get -qq install -y --no-install-recommends ${TOOLS.join(' ')}`
    spawnSync('sh', ['-c', script], { env: options.env, stdio: 'ignore' })
  }
  return areThere()
}

/**
 * Builds the Dockerfile, step by step as an engine would, without one. Its base comes from a registry of images, which is not
 * asked: the same release of Debian, made of its packages, with the Node that runs the tests and this machine's npm, stands in
 * for it. All else is the Dockerfile's own.
 *
 * @param at `folder`: empty; all of it is in there
 */
export async function buildImage(at: {
  dockerfile: string
  context: string
  folder: string
}): Promise<Built> {
  const store = ['--root', join(at.folder, 'store'), '--runroot', join(at.folder, 'run')]
  const buildah = async (...words: string[]) => {
    const { stdout } = await run('buildah', [...store, '--storage-driver', 'vfs', ...words], options)
    return stdout.trim()
  }
  const text = await readFile(at.dockerfile, 'utf8')
  const [, node = '', release = ''] = /^FROM node:([\d.]+)-([a-z]+)-slim\b/m.exec(text) ?? []
  if (node !== process.versions.node) throw new Error(`the base has Node ${node}, the tests run on another`)
  const base = await buildah('from', 'scratch')
  await makeBase(await buildah('mount', base), release)
  await buildah('commit', '--quiet', base, 'base')
  await buildah('rm', base)

  const dockerfile = join(at.folder, 'Dockerfile')
  await writeFile(dockerfile, text.replaceAll(/^FROM node:\S+/gm, 'FROM localhost/base'))
  const settings = await machineSettings()
  await buildah(
    ...['bud', '--isolation', 'chroot', '--pull=never', '--format', 'docker', '--tag', 'built'],
    ...settings.flatMap(([from, to]) => ['--volume', `${from}:${to}:ro`]),
    ...['--file', dockerfile, at.context],
  )
  const { Docker: docker } = JSON.parse(await buildah('inspect', '--type', 'image', 'built')) as Inspected
  const { User, Env, Entrypoint, Cmd, WorkingDir, Healthcheck } = docker.config
  const [uid = 0, gid = 0] = User.split(':').map(Number)
  return {
    root: await buildah('mount', await buildah('from', '--pull=never', 'built')),
    folder: WorkingDir,
    uid,
    gid,
    env: Object.fromEntries(Env.map((each) => each.split(/=(.*)/s).slice(0, 2))),
    entrypoint: Entrypoint,
    command: Cmd,
    health: Healthcheck.Test.slice(1),
  }
}

type Inspected = {
  Docker: {
    config: {
      User: string
      Env: string[]
      Entrypoint: string[]
      Cmd: string[]
      WorkingDir: string
      Healthcheck: { Test: string[] }
    }
  }
}

/** As in Debian's own images: nothing waits for the disk, and packages are known in English alone. */
const AS_IN_IMAGES = ['--dpkgopt=force-unsafe-io', '--aptopt=Acquire::Languages "none"']

async function makeBase(folder: string, release: string): Promise<void> {
  const packages = ['--variant=apt', '--include=ca-certificates,libstdc++6', ...AS_IN_IMAGES]
  await run('mmdebstrap', [...packages, release, folder], options)
  const local = join(folder, 'usr/local')
  await cp(process.execPath, join(local, 'bin/node'))
  const { stdout: modules } = await run('npm', ['root', '--global'])
  await mkdir(join(local, 'lib/node_modules'), { recursive: true })
  await cp(join(modules.trim(), 'npm'), join(local, 'lib/node_modules/npm'), { recursive: true })
  await symlink('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin/npm'))
}

/** How npm finds its registry here, and whom it trusts: for as long as the image is built, and no part of it. */
async function machineSettings(): Promise<[string, string][]> {
  const { stdout } = await run('npm', ['config', 'get', 'globalconfig'])
  const places: [string, string][] = [
    [stdout.trim(), '/usr/local/etc/npmrc'],
    [join(homedir(), '.npmrc'), '/root/.npmrc'],
    ['/etc/ssl/certs', '/etc/ssl/certs'],
  ]
  return places.filter(([from]) => existsSync(from))
}
