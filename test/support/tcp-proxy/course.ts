import { once } from 'node:events'
import type { Socket } from 'node:net'

type Way = { stream?: 'downstream' | 'upstream' }

/** What can be done to one direction of a connection, in toxiproxy's words. */
export type Toxic = Way &
  (
    | { kind: 'latency'; ms: number; jitterMs?: number }
    | { kind: 'bandwidth'; bytesPerSecond: number }
    /** The end of the connection is passed on late. */
    | { kind: 'slow_close'; ms: number }
    /** Nothing gets through, and the connection ends after `ms`; 0 is never. */
    | { kind: 'timeout'; ms: number }
    /** The connection is reset when `ms` have passed since the first byte. */
    | { kind: 'reset_peer'; ms: number }
    /** Chunks of about this size, with a pause between. */
    | { kind: 'slicer'; bytes: number; pauseMs: number }
    /** The connection ends after so many bytes. */
    | { kind: 'limit_data'; bytes: number }
    /** One chunk of so many has these at its end, in one piece with it, and is the last. Not one of toxiproxy's. */
    | { kind: 'last_words'; bytes: Uint8Array; oneOf: number }
  )

export type Pause = (ms: number, gone: AbortSignal) => Promise<unknown>

/**
 * Carries one direction of one connection, in order. Latency counts from when a chunk came, so that chunks travel side by
 * side as on a long line; the others hold back what follows.
 */
export function createCourse({
  to,
  toxics,
  pause,
  gone,
  reset,
  hold,
}: {
  to: Socket
  toxics: () => Toxic[]
  pause: Pause
  gone: AbortSignal
  reset: () => void
  hold: (isHeld: boolean) => void
}) {
  let line: Promise<unknown> = Promise.resolve()
  let waitingBytes = 0
  let carriedBytes = 0
  let isCut = false

  function find<Kind extends Toxic['kind']>(kind: Kind): Extract<Toxic, { kind: Kind }> | undefined {
    return toxics().find((toxic): toxic is Extract<Toxic, { kind: Kind }> => toxic.kind === kind)
  }

  /** After everything before it; a wait that the connection's end cut short is no failure of anything. */
  function inLine(step: () => Promise<void>): void {
    line = line.then(step).catch(() => {})
  }

  async function write(chunk: Buffer): Promise<void> {
    if (to.destroyed || isCut) return
    const limit = find('limit_data')
    const allowed = limit === undefined ? chunk : chunk.subarray(0, Math.max(0, limit.bytes - carriedBytes))
    carriedBytes += allowed.length
    if (allowed.length > 0 && !to.write(allowed)) await once(to, 'drain', { signal: gone })
    if (allowed.length < chunk.length) cut(() => to.end())
  }

  function cut(how: () => void): void {
    isCut = true
    how()
  }

  async function pass(chunk: Buffer): Promise<void> {
    const bandwidth = find('bandwidth')
    if (bandwidth !== undefined) await pause((chunk.length / bandwidth.bytesPerSecond) * 1000, gone)
    const slicer = find('slicer')
    if (slicer === undefined) return write(chunk)
    for (let at = 0; at < chunk.length; at += slicer.bytes) {
      await write(chunk.subarray(at, at + slicer.bytes))
      await pause(slicer.pauseMs, gone)
    }
  }

  return {
    carry(chunk: Buffer): void {
      if (isCut) return
      const timeout = find('timeout')
      if (timeout !== undefined) {
        isCut = true
        if (timeout.ms > 0) void pause(timeout.ms, gone).then(() => to.end(), ignore)
        return
      }
      const resetting = find('reset_peer')
      if (resetting !== undefined) {
        isCut = true
        void pause(resetting.ms, gone).then(reset, ignore)
        return
      }
      const last = find('last_words')
      if (last !== undefined && Math.random() * last.oneOf < 1) {
        isCut = true
        to.end(Buffer.concat([chunk, last.bytes]))
        return
      }
      const latency = find('latency')
      const jitterMs = latency?.jitterMs ?? 0
      const arrived =
        latency === undefined
          ? undefined
          : pause(Math.max(0, latency.ms + jitterMs * (2 * Math.random() - 1)), gone)
      arrived?.catch(ignore)
      waitingBytes += chunk.length
      if (waitingBytes > WAITING_BYTES_MAX) hold(true)
      inLine(async () => {
        try {
          await arrived
          await pass(chunk)
        } finally {
          waitingBytes -= chunk.length
          if (waitingBytes <= WAITING_BYTES_MAX) hold(false)
        }
      })
    },

    end(): void {
      inLine(async () => {
        const slow = find('slow_close')
        if (slow !== undefined) await pause(slow.ms, gone)
        // What was cut stays open until its own time comes.
        if (!isCut) to.end()
      })
    },
  }
}

/** More than this under way, and the sender has to wait. */
const WAITING_BYTES_MAX = 1024 * 1024

function ignore(): void {}
