import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { canInstallRedis } from './redis-server.ts'

/** What has to be typed where there is none. */
export const NFT_COMMAND = 'apt-get install nftables'

/** The kernel's firewall as it is written; on a Debian where packages may be installed it is. @returns whether it is there */
export function hasNft(): boolean {
  const isThere = () => spawnSync('nft', ['--version']).status === 0
  if (isThere()) return true
  if (!canInstallRedis()) return false
  const script = `nft --version || { apt-get -qq update && apt-get -qq install -y --no-install-recommends nftables; }`
  spawnSync('flock', [join(tmpdir(), 'test-nft-install.lock'), 'sh', '-c', script], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: 'ignore',
  })
  return isThere()
}
