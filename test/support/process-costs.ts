import { readdirSync, readFileSync } from 'node:fs'

/** What a process holds of the machine, as the system counts it. */
export function residentBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024
}

export function descriptors(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length
}
