import { constants } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { settingsOf } from './address.ts'
import type { Cluster } from './cluster.ts'
import { runProgram } from './run-program.ts'

const START_DEADLINE_S = 60
const STOP_DEADLINE_S = 60
const LOG_BYTES_MAX = 1024 * 1024

/**
 * Starts PostgreSQL at the cluster's address. pg_ctl gives it a session of its own, so a Ctrl-C in the terminal does not reach
 * it.
 *
 * @returns false when it did not start, which is also so when another process has just started it.
 */
export async function startCluster(cluster: Cluster): Promise<boolean> {
  await truncateLog(cluster)
  const settings = {
    ...settingsOf(cluster.address),
    timezone: 'UTC',
    log_timezone: 'UTC',
    // A failed statement and its values may hold what must not be in a log.
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    // Nobody follows this server from elsewhere: a table that is made and filled in one go goes to the disk once, not twice.
    wal_level: 'minimal',
    max_wal_senders: '0',
    ...(cluster.isDurable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  }
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${quoted(value)}`)
  try {
    await control(cluster, [
      'start',
      '--wait',
      `--timeout=${START_DEADLINE_S}`,
      // From where it is started, and the data folder among the options: pg_ctl itself quotes neither so that a shell leaves it
      // alone. The process then shows whose it is.
      `--log=${basename(cluster.log)}`,
      '-o',
      [`-D ${quoted(cluster.data)}`, ...options].join(' '),
    ])
    return true
  } catch {
    return false
  }
}

/** pg_ctl hands the options to a shell. */
function quoted(value: string): string {
  return process.platform === 'win32' ? `"${value}"` : `'${value.replaceAll(`'`, `'\\''`)}'`
}

/** Stops it at once: whoever is still connected is cut off. */
export async function stopCluster(cluster: Cluster): Promise<void> {
  await control(cluster, ['stop', '--mode=fast', '--wait', `--timeout=${STOP_DEADLINE_S}`])
}

/** The last the server had to say, for whoever has to find out why it does not run. */
export async function lastWords({ log }: Cluster): Promise<string> {
  const text = await readFile(log, 'utf8').catch(() => '')
  return text.trimEnd().split('\n').slice(-5).join('\n')
}

/** Whom PostgreSQL runs as may have put a link there, which root is not to follow. */
async function truncateLog({ log }: Cluster): Promise<void> {
  const file = await open(log, constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0)).catch(() => null)
  try {
    if (file !== null && (await file.stat()).size > LOG_BYTES_MAX) await file.truncate()
  } finally {
    await file?.close()
  }
}

function control(cluster: Cluster, args: string[]): Promise<void> {
  const { binaries, account, data } = cluster
  const deadlineMs = (Math.max(START_DEADLINE_S, STOP_DEADLINE_S) + 10) * 1000
  return runProgram(binaries.pgCtl, account, dirname(data), deadlineMs, args, { PGDATA: data })
}
