import { join } from 'node:path'
import { ConfigurationError } from '#src/core/errors.ts'
import { type Account, chooseAccount, refuseStrangers } from './account.ts'
import { type Address, type AddressKind, chooseAddress, writeOnce } from './address.ts'
import { type Binaries, findBinaries } from './binaries.ts'
import { isMissing, isVacant, newPassword, openFolder, readPassword, versionOf } from './cluster-folder.ts'
import { makeCluster, removeAbandoned } from './make-cluster.ts'
import { MAJOR } from './names.ts'

/** A PostgreSQL cluster on disk, running or not. `folder` holds `data`, the passwords and the server's log. */
export type Cluster = {
  readonly data: string
  readonly address: Address
  /** Of PostgreSQL's own superuser, who makes the service's role and is nobody else's business. */
  readonly ownerPassword: string
  readonly password: string
  readonly log: string
  readonly binaries: Binaries
  readonly account: Account
  /** false gives up safety at a power cut for speed: tests alone. */
  readonly isDurable: boolean
}

/**
 * The cluster in `<dataDir>/postgres`, made if it is not there. It is made beside and moved into place whole, with its
 * password: of two that begin at once one wins, and nobody ever sees half of one.
 *
 * @throws ConfigurationError when the folder can not hold it, or holds another version or something else.
 */
export async function prepareCluster(
  dataDir: string,
  { isDurable, transport }: { isDurable: boolean; transport: AddressKind },
): Promise<Cluster> {
  const root = await openFolder(dataDir)
  const folder = join(root, 'postgres')
  const data = join(folder, 'data')
  const binaries = await findBinaries()
  await refuseStrangers(root, folder)
  await removeAbandoned(root)
  const account = await chooseAccount(data, [root, binaries.folder])
  if (await isVacant(folder)) {
    await refuseHalfUpgraded(root)
    await makeCluster({ root, folder, binaries, account, isDurable })
    // Somebody may have been faster.
    await refuseStrangers(root, folder)
  }
  const version = await versionOf(data)
  if (version !== MAJOR) throw otherVersion(folder, version)
  return describe({ folder, binaries, account, isDurable, transport })
}

/**
 * The cluster that is there, to be run by the programs of its own version. Nothing is made.
 *
 * @throws ConfigurationError when there is none
 */
export async function findCluster(dataDir: string, binaries: Binaries): Promise<Cluster> {
  const root = await openFolder(dataDir)
  const folder = join(root, 'postgres')
  await refuseStrangers(root, folder)
  const account = await chooseAccount(join(folder, 'data'), [root, binaries.folder])
  const transport = process.platform === 'win32' ? 'loopback' : 'socket'
  return describe({ folder, binaries, account, isDurable: true, transport })
}

/** The version of the cluster in this folder; null when there is none. */
export function clusterVersion(dataDir: string): Promise<string | null> {
  return versionOf(join(dataDir, 'postgres', 'data'))
}

/** Where an upgraded cluster waits, whole, to take the place of the one it was made from. */
export function upgradedFolder(dataDir: string): string {
  return join(dataDir, 'postgres-oppgradert')
}

/** A new cluster in the place of one that an upgrade has just moved away would be an empty one. */
async function refuseHalfUpgraded(root: string): Promise<void> {
  if (await isMissing(upgradedFolder(root))) return
  throw new ConfigurationError(
    `DATA_DIR: an upgrade of PostgreSQL in ${root} was interrupted at its last step. Finish it: ` +
      'npm run -s oppslag -- oppgrader',
  )
}

function otherVersion(folder: string, version: string | null): ConfigurationError {
  if (version === null)
    return new ConfigurationError(
      `${folder} holds no PostgreSQL cluster of ours, expected PostgreSQL ${MAJOR} or nothing. Move the folder away, or ` +
        'choose another DATA_DIR.',
    )
  return new ConfigurationError(
    Number(version) < Number(MAJOR)
      ? `${folder} holds PostgreSQL ${version}, and this release runs ${MAJOR}. Nothing is lost or changed: take it along ` +
          'with npm run -s oppslag -- oppgrader (config/backup.md says how).'
      : `${folder} holds PostgreSQL ${version}, and this release runs ${MAJOR}. Run the release that made it, or a newer one.`,
  )
}

async function describe({
  folder,
  binaries,
  account,
  isDurable,
  transport,
}: {
  folder: string
  binaries: Binaries
  account: Account
  isDurable: boolean
  transport: AddressKind
}): Promise<Cluster> {
  const ownerPassword = await readPassword(join(folder, 'password'))
  const own = join(folder, 'service-password')
  if (await isMissing(own)) await writeOnce(own, newPassword())
  return {
    data: join(folder, 'data'),
    address: await chooseAddress(folder, account, transport),
    ownerPassword,
    password: await readPassword(own),
    log: join(folder, 'server.log'),
    binaries,
    account,
    isDurable,
  }
}
