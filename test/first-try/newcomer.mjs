import { spawn, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Installing included, on a machine that has other things to do. */
export const STARTS_WITHIN_MS = 400_000
const ENDS_WITHIN_MS = 60_000

/**
 * A newcomer's machine: an empty home, nothing in the environment but PATH and HOME (and how npm finds its registry here, where
 * that is set), no git, and folders whose names have a space and letters beyond ASCII.
 *
 * @param commit what is cloned; another one shows what the checks would have said of it
 */
export function createNewcomer(commit = process.env.FIRST_TRY_COMMIT ?? 'HEAD') {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const base = mkdtempSync(join(tmpdir(), 'first-try-'))
  spawnSync('chmod', ['755', base])
  const home = join(base, 'home')
  const programs = join(base, 'bin')
  mkdirSync(home)
  mkdirSync(programs)
  const settings = join(homedir(), '.npmrc')
  if (existsSync(settings)) copyFileSync(settings, join(home, '.npmrc'))
  linkPrograms(programs)
  const carried = Object.entries(process.env).filter(([name]) => /^npm_config_(?!.*prefix)/i.test(name))
  const env = { ...Object.fromEntries(carried), ...machineSettings(), PATH: programs, HOME: home }
  const started = new Set()

  return {
    base,
    env,
    clone(name) {
      const place = join(base, name)
      const cloned = spawnSync('git', ['clone', '--quiet', root, place], { encoding: 'utf8' })
      const checked = spawnSync('git', ['checkout', '--quiet', commit], { cwd: place, encoding: 'utf8' })
      if (cloned.status !== 0 || checked.status !== 0) throw new Error(cloned.stderr + checked.stderr)
      return place
    },
    /** Starts a command in a session of its own, as from a terminal that was then closed. */
    start(cwd, command, { variables = {}, around = [] } = {}) {
      const [program, ...parameters] = [...around, ...command]
      const options = {
        cwd,
        env: { ...env, ...variables },
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
      }
      const running = follow(spawn(program, parameters, options))
      started.add(running)
      return running
    },
    async leave() {
      for (const running of started) await running.kill()
      rmSync(base, { recursive: true, force: true })
    },
  }
}

function follow(child) {
  let out = ''
  let err = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    err += text
  })
  const ended = new Promise((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, out, err }))
    child.on('error', (error) => resolve({ code: null, signal: null, out, err: String(error) }))
  })
  let hasEnded = false
  ended.then(() => {
    hasEnded = true
  })
  return {
    pid: child.pid,
    out: () => out,
    err: () => err,
    /** @returns its ending, or an error when that is too long in coming */
    ended: (withinMs = ENDS_WITHIN_MS) =>
      within(ended, withinMs, () => `still running; it wrote:\n${out}${err}`),
    /** @returns the match, in what it has written */
    async says(pattern, withinMs = STARTS_WITHIN_MS) {
      const deadline = Date.now() + withinMs
      while (true) {
        const found = pattern.exec(out) ?? pattern.exec(err)
        if (found !== null) return found
        if (hasEnded) throw new Error(`it ended; it wrote:\n${out}${err}`)
        if (Date.now() > deadline) throw new Error(`${pattern} did not come; it wrote:\n${out}${err}`)
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    },
    signal: (name) => process.kill(child.pid, name),
    /** As Ctrl-C in a terminal: everybody in it. */
    signalAll: (name) => process.kill(-child.pid, name),
    async kill() {
      try {
        if (!hasEnded) process.kill(-child.pid, 'SIGTERM')
        await within(ended, 20_000, () => '')
      } catch {
        // What did not end is ended.
      }
      try {
        process.kill(-child.pid, 'SIGKILL')
      } catch {
        // Nobody of it is left.
      }
    },
  }
}

async function within(promise, ms, complaint) {
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`after ${ms} ms: ${complaint()}`)), ms)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

/** The machine's own settings of npm, which a Node from another folder would look for beside itself. */
function machineSettings() {
  const { stdout } = spawnSync('npm', ['config', 'get', 'globalconfig'], { encoding: 'utf8' })
  const file = (stdout ?? '').trim()
  return existsSync(file) ? { npm_config_globalconfig: file } : {}
}

/** Everything on the path but git. */
function linkPrograms(folder) {
  for (const place of (process.env.PATH ?? '').split(delimiter)) {
    // What npm puts there for its own scripts is not the machine's.
    if (place.includes('node_modules') || !existsSync(place)) continue
    for (const name of readdirSync(place)) {
      if (name === 'git' || existsSync(join(folder, name))) continue
      try {
        symlinkSync(join(place, name), join(folder, name))
      } catch {
        // A link to nothing by that name is there already.
      }
    }
  }
}
