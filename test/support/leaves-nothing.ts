import { channel } from 'node:diagnostics_channel'
import dns from 'node:dns'
import http from 'node:http'
import https from 'node:https'
import net from 'node:net'
import tls from 'node:tls'
import { afterAll } from 'vitest'
import { policy } from '#config/policy.ts'

/**
 * Files of tests share a process: each leaves it as it found it, or the next one fails for no reason of its own. Looked at after
 * each file, so that it is the one who left something that fails.
 */
afterAll(() => {
  const now = seen()
  const changed = Object.keys({ ...found, ...now }).filter((name) => found[name] !== now[name])
  if (changed.length > 0) throw new Error(`this file leaves its process changed: ${changed.join(', ')}`)
})

const found = seen()

function seen(): Record<string, unknown> {
  const variables = Object.entries(process.env).map(([name, value]) => [`process.env.${name}`, value])
  // Packages listen for its exit from the moment they are loaded.
  const listeners = ['SIGINT', 'SIGTERM', 'uncaughtException', 'unhandledRejection', 'disconnect'].map(
    (name) => [`process.on(${name})`, process.listenerCount(name)],
  )
  const decided = Object.entries(policy).map(([name, value]) => [`policy.${name}`, JSON.stringify(value)])
  return {
    ...Object.fromEntries([...variables, ...listeners, ...decided]),
    cwd: process.cwd(),
    exitCode: process.exitCode,
    'process.stdout.write': process.stdout.write,
    'process.stderr.write': process.stderr.write,
    Date: globalThis.Date,
    setTimeout: globalThis.setTimeout,
    fetch: globalThis.fetch,
    // Whoever hears of each server that listens may be about to change it.
    'who hears of servers': channel('tracing:net.server.listen:asyncEnd').hasSubscribers,
    'net.connect': net.connect,
    'net.Socket.connect': net.Socket.prototype.connect,
    'tls.connect': tls.connect,
    'http.request': http.request,
    'https.request': https.request,
    'dns.lookup': dns.lookup,
  }
}
