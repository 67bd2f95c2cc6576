import { readdirSync, readFileSync } from 'node:fs'

/** What a process holds of the machine, as the system counts it. */
export function residentBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024
}

/** Of all its threads, since it began; other processes' work is not in it. */
export function cpuMs(pid: number): number {
  const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(/\) /)
  const [user, system] = rest.split(' ').slice(11, 13)
  return (Number(user) + Number(system)) * TICK_MS
}

/** USER_HZ: what the system counts in, everywhere. */
const TICK_MS = 10

/** Of its main thread, since it began: how long it ran, and how long it stood ready to run while others did. */
export function mainThread(pid: number): { ranMs: number; readyMs: number } {
  const [ran = '0', ready = '0'] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')
  return { ranMs: Number(ran) / 1e6, readyMs: Number(ready) / 1e6 }
}

export function descriptors(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length
}

/** Connections that whoever listens at this address still holds, also to clients that do not look whether they have ended. */
export function connectionsTo(address: string): number {
  const port = Number(new URL(address).port).toString(16).toUpperCase().padStart(4, '0')
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local = '', , state, , , , , , inode]) => {
      const isHeld = state !== LISTEN && inode !== '0'
      return local.endsWith(`:${port}`) && isHeld
    }).length
}

const LISTEN = '0A'
