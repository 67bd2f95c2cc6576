import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Root may, on Debian. */
export function canInstall(): boolean {
  return process.getuid?.() === 0 && existsSync('/etc/debian_version') && existsSync('/usr/bin/apt-get')
}

/**
 * Files of tests run side by side: one installs, the others wait for it.
 *
 * @param isThere what succeeds in a shell where it need not be
 */
export function installPackage(name: string, isThere: string): void {
  const script = `${isThere} || { apt-get -qq update && apt-get -qq install -y --no-install-recommends ${name}; }`
  spawnSync('flock', [join(tmpdir(), `test-${name}-install.lock`), 'sh', '-c', script], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: 'ignore',
  })
}
