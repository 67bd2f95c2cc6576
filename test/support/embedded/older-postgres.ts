import { execFile } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { chown, mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { chooseAccount, runAs } from '#src/embedded/account.ts'
import { binariesIn } from '#src/embedded/binaries.ts'
import { OWNER } from '#src/embedded/names.ts'

const run = promisify(execFile)

/** What has to be typed where there is none. */
export const OLDER_POSTGRES_COMMAND = 'apt-get install postgresql-15'

/**
 * The programs of an older PostgreSQL: those `OLDER_POSTGRES` names (a folder with `bin` in it), otherwise the newest of the
 * machine's own that is older; null when there is none.
 */
export function olderPostgres(): string | null {
  const { OLDER_POSTGRES } = process.env
  if (OLDER_POSTGRES) return OLDER_POSTGRES
  const folder = '/usr/lib/postgresql'
  const versions = existsSync(folder) ? readdirSync(folder).map(Number) : []
  const older = versions.filter(
    (version) => version < 18 && existsSync(join(folder, String(version), 'bin/initdb')),
  )
  return older.length === 0 ? null : join(folder, String(Math.max(...older)))
}

/** A cluster of that PostgreSQL in the folder, as an earlier release would have made it there. */
export async function makeOlderCluster(dataDir: string, programs: string): Promise<void> {
  const binaries = await binariesIn(programs)
  const staging = join(dataDir, 'lages')
  const data = join(staging, 'data')
  await mkdir(data, { recursive: true, mode: 0o700 })
  await writeFile(join(staging, 'password'), 'et-passord', { mode: 0o600 })
  const account = await chooseAccount(data, [dataDir, programs])
  if (account !== null && !account.isMapped)
    for (const path of [staging, data, join(staging, 'password')]) await chown(path, account.uid, account.gid)
  const { program, args, identity } = runAs(account, binaries.initdb, [
    `--pgdata=${data}`,
    `--username=${OWNER}`,
    `--pwfile=${join(staging, 'password')}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C.UTF-8',
    '--no-sync',
  ])
  await run(program, args, { cwd: staging, ...identity })
  await rename(staging, join(dataDir, 'postgres'))
}
