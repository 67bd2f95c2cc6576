import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

/** What /bin/sh is on one machine or another. `find`: its program, by a name under which it is a shell; null when it is not here. */
export const SHELLS = ['dash', 'bash', 'busybox'].map((name) => ({
  name,
  find(folder) {
    const found = spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout.trim()
    if (found === '' || name !== 'busybox') return found || null
    const shell = join(folder, 'ash')
    if (!existsSync(shell)) symlinkSync(found, shell)
    return shell
  },
}))

/** As if nothing had been installed, for whoever looks for a Node on the path, without all of an install's time. */
export function forgetNode(place) {
  const dependencies = join(place, 'node_modules')
  const nodes = readdirSync(dependencies).filter((name) => /^node-(linux|darwin|win)-/.test(name))
  for (const name of ['.installed', '.bin/node', ...nodes]) {
    rmSync(join(dependencies, name), { recursive: true, force: true })
  }
}
