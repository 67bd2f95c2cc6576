import { spawnSync } from 'node:child_process'
import { canInstall, installPackage } from './debian-package.ts'

/** What has to be typed where there is none. */
export const NFT_COMMAND = 'apt-get install nftables'

/** The kernel's firewall as it is written; on a Debian where packages may be installed it is. @returns whether it is there */
export function hasNft(): boolean {
  if (!isThere() && canInstall()) installPackage('nftables', 'nft --version')
  return isThere()
}

function isThere(): boolean {
  return spawnSync('nft', ['--version']).status === 0
}
