import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { canInstall } from './debian-package.ts'

/** What has to be typed where there is none. */
export const PROMTOOL_COMMAND = 'apt-get install prometheus'

/** Prometheus' own checker; on a Debian where packages may be fetched it is taken out of its package. Null: there is none. */
export function promtool(): string | null {
  if (spawnSync('promtool', ['--version']).status === 0) return 'promtool'
  const folder = join(tmpdir(), 'oppslag-promtool')
  const program = join(folder, 'usr/bin/promtool')
  if (existsSync(program)) return program
  if (!canInstall()) return null
  // The whole package would start a server of its own.
  const script = `mkdir -p ${folder} && cd ${folder} && { [ -x ${program} ] ||
    { apt-get -qq update && apt-get -qq download prometheus && dpkg -x prometheus_*.deb . && rm prometheus_*.deb; }; }`
  spawnSync('flock', [`${folder}.lock`, 'sh', '-c', script], { stdio: 'ignore' })
  return existsSync(program) ? program : null
}
