import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import { symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What has to be typed where there is no Redis and none can be installed from here. No package of npm's carries one. */
export const REDIS_COMMAND = 'apt-get install redis-tools'

/** Debian's redis-server is a second name for this file; its own package would start a service as well. */
const DEBIAN_SERVER = '/usr/bin/redis-check-rdb'

export function hasRedis(): boolean {
  return isDebians() || spawnSync('redis-server', ['--version']).status === 0
}

/** Root may, on Debian. */
export function canInstallRedis(): boolean {
  return process.getuid?.() === 0 && existsSync('/etc/debian_version') && existsSync('/usr/bin/apt-get')
}

/** Files of tests run side by side: one installs, the others wait for it. @returns whether it is there now */
export function installRedis(): boolean {
  const script = `[ -x ${DEBIAN_SERVER} ] || { apt-get -qq update && apt-get -qq install -y --no-install-recommends redis-tools; }`
  spawnSync('flock', [join(tmpdir(), 'test-redis-install.lock'), 'sh', '-c', script], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: 'ignore',
  })
  return hasRedis()
}

/**
 * The server's program, under its own name.
 *
 * @param folder where that name may be made
 * @throws Error one line that says what to install, when there is none and none can be installed
 */
export async function redisServer(folder: string): Promise<string> {
  if (!hasRedis() && !(canInstallRedis() && installRedis())) {
    throw new Error(`These tests need redis-server 6.2 or newer: ${REDIS_COMMAND}`)
  }
  if (!isDebians()) return 'redis-server'
  const program = join(folder, 'redis-server')
  await symlink(DEBIAN_SERVER, program)
  return program
}

function isDebians(): boolean {
  try {
    accessSync(DEBIAN_SERVER, constants.X_OK)
    return true
  } catch {
    return false
  }
}
