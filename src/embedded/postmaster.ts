import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SOCKET_NOTE } from './address.ts'
import type { Cluster } from './cluster.ts'

/**
 * PostgreSQL's own note of its process, in the data folder; null when there is none. It may be of a process long gone.
 * `sockets` is empty for one that listens on the loopback.
 */
export async function readPostmaster({
  data,
}: Pick<Cluster, 'data'>): Promise<{ pid: number; port: number; sockets: string } | null> {
  const text = await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')
  const [pid, , , port, sockets = ''] = text.split('\n')
  return Number(pid) && Number(port) ? { pid: Number(pid), port: Number(port), sockets } : null
}

/**
 * Corrects a note left by a server that was killed, when its process number has since gone to another program of the
 * same user: PostgreSQL would take that for a running server and never start again. The rest of the note stays, since
 * PostgreSQL finds with it whether sessions of the dead server are still at work.
 */
export async function disownPostmaster({ data, address }: Cluster, pid: number): Promise<void> {
  // Only Linux tells; elsewhere PostgreSQL's own word stands.
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => null)
  if (command === null || command.split('\0').includes(data)) return
  const notes = [join(data, 'postmaster.pid')]
  if (address.kind === 'socket') notes.push(join(address.folder, SOCKET_NOTE))
  for (const path of notes) {
    const note = await readFile(path, 'utf8').catch(() => '')
    if (note.startsWith(`${pid}\n`)) await writeFile(path, note.replace(/^\d+/, NOBODY))
  }
}

/** Larger than any process number. */
const NOBODY = '2147483646'
