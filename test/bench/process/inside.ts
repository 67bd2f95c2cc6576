import { subscribe, tracingChannel } from 'node:diagnostics_channel'
import type { Server } from 'node:net'

/**
 * Loaded before the program that is measured, which itself knows nothing of it: tells where the program listens, what it
 * has used, and what its feed followers do. Ends it with the bench.
 */
export type Told =
  | { kind: 'listening'; address: string }
  | { kind: 'usage'; usage: Usage }
  | { kind: 'feed'; at: number; report: unknown }

/** CPU time of the whole process, all threads; what is in memory now, and the most that was. */
export type Usage = { cpuMs: number; rssBytes: number; rssBytesMost: number }

const tell = (told: Told) => process.send?.(told)

/** The service says itself where its front listens; it has the operators' port beside it. */
const saysItself = process.argv[1]?.endsWith('src/commands/server.ts') ?? false

tracingChannel('net.server.listen').asyncEnd.subscribe((message) => {
  if (saysItself) return
  const address = (message as { server: Server }).server.address()
  if (address !== null && typeof address === 'object')
    tell({ kind: 'listening', address: `http://${address.address}:${address.port}` })
})
subscribe('bedriftsoppslag:feed', (report) => tell({ kind: 'feed', at: Date.now(), report }))

process.on('message', () => {
  const { user, system } = process.cpuUsage()
  const usage = {
    cpuMs: (user + system) / 1000,
    rssBytes: process.memoryUsage.rss(),
    rssBytesMost: process.resourceUsage().maxRSS * 1024,
  }
  tell({ kind: 'usage', usage })
})
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
process.channel?.unref()
