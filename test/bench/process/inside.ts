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

/** A service has the operators' port beside the front's: it is told which one is the front's. */
const frontPort = Number(process.env.BENCH_FRONT_PORT ?? 0)

tracingChannel('net.server.listen').asyncEnd.subscribe((message) => {
  const address = (message as { server: Server }).server.address()
  if (address === null || typeof address !== 'object') return
  if (frontPort === 0 || address.port === frontPort)
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
