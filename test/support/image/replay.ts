import { execFile } from 'node:child_process'
import { cp, mkdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { readSteps, type Stage, type Step } from './steps.ts'

const run = promisify(execFile)

export type Replayed = Pick<Stage, 'env' | 'entrypoint' | 'command' | 'health'> & {
  /** What is the root of the file system in the image. */
  root: string
  /** Where its processes start. */
  folder: string
  uid: number
  gid: number
  /** RUN lines that would change the machine itself, and were left out. */
  leftOut: string[]
}

/**
 * Does in `folder` what the Dockerfile says, each stage under a root of its own. The base image is this machine with the Node
 * that runs the tests. Packages of the system are not installed: those lines are left out, and named.
 */
export async function replayImage(options: {
  dockerfile: string
  /** The project's folder. */
  context: string
  /** Empty, and open to other users. */
  folder: string
}): Promise<Replayed> {
  const stages = readSteps(options.dockerfile)
  const leftOut: string[] = []
  const roots = new Map<string, string>()
  let last: { root: string; folder: string } | null = null
  for (const [index, stage] of stages.entries()) {
    const root = join(options.folder, stage.name ?? `stage-${index}`)
    if (stage.name !== null) roots.set(stage.name, root)
    await mkdir(join(root, 'usr/local/bin'), { recursive: true })
    await cp(process.execPath, join(root, 'usr/local/bin/node'))
    const folder = await doSteps(stage.steps, { root, roots, context: options.context, leftOut })
    last = { root, folder }
  }
  const stage = stages.at(-1)
  if (stage === undefined || last === null) throw new Error('the Dockerfile has no FROM')
  // The tree is as the image's layers: nobody may write, whoever owns it.
  await run('chmod', ['-R', 'a-w', last.root])
  const [uid = 0, gid = 0] = (stage.user ?? '0:0').split(':').map(Number)
  return { ...stage, ...last, uid, gid, leftOut }
}

async function doSteps(
  steps: readonly Step[],
  at: { root: string; roots: ReadonlyMap<string, string>; context: string; leftOut: string[] },
): Promise<string> {
  let folder = at.root
  for (const step of steps) {
    if (step.kind === 'folder') {
      folder = join(at.root, step.path)
      await mkdir(folder, { recursive: true })
    } else if (step.kind === 'copy') {
      const from = step.from === null ? at.context : at.roots.get(step.from)
      if (from === undefined) throw new Error(`COPY from a stage that is not there: ${step.from}`)
      for (const source of step.sources) await copy(join(from, source), folder, step)
    } else if (/^apt-get\b/.test(step.command)) at.leftOut.push(step.command)
    else await runIn(folder, step.command)
  }
  return folder
}

/** Of a folder its contents are copied; a file keeps its name when the target is a folder (or more than one file goes there). */
async function copy(
  source: string,
  folder: string,
  { to, sources }: { to: string; sources: readonly string[] },
): Promise<void> {
  const isFile = (await stat(source)).isFile()
  const isIntoFolder = to.endsWith('/') || to === '.' || sources.length > 1
  const target = isFile && isIntoFolder ? join(folder, to, basename(source)) : join(folder, to)
  await cp(source, target, { recursive: true, verbatimSymlinks: true })
}

/** An absolute path in a RUN would be one of this machine. */
async function runIn(folder: string, command: string): Promise<void> {
  if (/(?:^|[\s'"=])\//.test(command)) throw new Error(`RUN leaves its own folder: ${command}`)
  // As it is built: from the registry, and by the way to it, that this machine is set up with.
  await run('sh', ['-ec', command], { cwd: folder, maxBuffer: 64 * 1024 * 1024 })
}
