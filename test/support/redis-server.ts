import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { canInstall, installPackage } from './debian-package.ts'

/** What has to be typed where there is no Redis and none can be installed from here. No package of npm's carries one. */
export const REDIS_COMMAND = 'apt-get install redis-tools'

/** Debian's redis-server is a second name for this file; its own package would start a service as well. */
const DEBIAN_SERVER = '/usr/bin/redis-check-rdb'

export function hasRedis(): boolean {
  return isDebians() || spawnSync('redis-server', ['--version']).status === 0
}

/** @returns whether it is there now */
export function installRedis(): boolean {
  installPackage('redis-tools', `[ -x ${DEBIAN_SERVER} ]`)
  return hasRedis()
}

/**
 * The server's program, under its own name.
 *
 * @param folder where that name may be made
 * @throws Error one line that says what to install, when there is none and none can be installed
 */
export async function redisServer(folder: string): Promise<string> {
  if (!hasRedis() && !(canInstall() && installRedis())) {
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
