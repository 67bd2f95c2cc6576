import type { Transform } from 'node:stream'
import { promisify } from 'node:util'
import {
  brotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gzip,
  zstdCompress,
} from 'node:zlib'
import { bulkhead } from 'cockatiel'

/** The content codings answers are sent in (RFC 9110, 8.4.1). */
export type Encoding = 'gzip' | 'br' | 'zstd'

/**
 * Packs bytes that will be sent often, so with more effort than one would take for every request. Only so many are packed at
 * a time in a process: the pool has four threads, and whoever proves a key or looks a name up needs one as well.
 *
 * @returns null when as many wait already as can be packed in a moment: then they are sent as they are
 */
export function packed(bytes: Buffer, encoding: Encoding): Promise<Buffer> | null {
  if (packing.executionSlots + packing.queueSlots === 0) return null
  return packing.execute(() => pack[encoding](bytes))
}

/** The forms of some bytes, by coding. Null: as `packed`. */
export type Forms = (encoding: Encoding) => Buffer | Promise<Buffer> | null

/**
 * Each form is made by the first who asks for it; those who ask meanwhile wait for the same.
 *
 * @param bytes asked for when there is something to pack
 * @param keep a form that was made
 */
export function createForms(bytes: () => Buffer, keep: (form: Buffer) => Buffer): Forms {
  const forms = new Map<Encoding, Buffer | Promise<Buffer>>()
  return (encoding) => {
    const form = forms.get(encoding)
    if (form !== undefined) return form
    const underway = packed(bytes(), encoding)
    if (underway === null) return null
    const making = underway.then((packed) => {
      const kept = keep(packed)
      forms.set(encoding, kept)
      return kept
    })
    forms.set(encoding, making)
    making.catch(() => forms.delete(encoding))
    return making
  }
}

/**
 * Packs what is written bit by bit: each piece can be read as soon as it was written, without what follows. Fast rather than
 * small, and with windows of 256 kB, so that the many that may be under way hold a bounded part of the memory.
 *
 * @returns null when as many are under way as may be: then it is sent as it is
 */
export function packingStream(encoding: Encoding): Transform | null {
  if (streamsOpen >= STREAMS_MAX) return null
  const stream = begin[encoding]()
  streamsOpen += 1
  stream.once('close', () => {
    streamsOpen -= 1
  })
  return stream
}

const STREAMS_MAX = 16
let streamsOpen = 0

const AT_ONCE = 2
/** Each takes 1 to 2 ms; only what is packed once in the life of a process takes longer. */
const WAITING_MAX = 16
const packing = bulkhead(AT_ONCE, WAITING_MAX)

/**
 * How much there is to pack is said each time. Otherwise room is made, and cleared, for whatever may come: measured with 20 kB,
 * zstd takes 41 MB and 34 ms of CPU for each instead of 0.7 MB and 1.3 ms, Brotli 14 ms instead of 1.4.
 */
const pack: Record<Encoding, (bytes: Buffer) => Promise<Buffer>> = {
  gzip: (bytes) => promisify(gzip)(bytes, { level: 9 }),
  br: (bytes) =>
    promisify(brotliCompress)(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 9,
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
        [constants.BROTLI_PARAM_LGWIN]: windowBits(bytes.length),
      },
    }),
  zstd: (bytes) =>
    promisify(zstdCompress)(bytes, {
      pledgedSrcSize: bytes.length,
      params: { [constants.ZSTD_c_compressionLevel]: 12 },
    }),
}

const WINDOW_BITS = 18

/** `flush`: after every piece. */
const begin: Record<Encoding, () => Transform> = {
  gzip: () => createGzip({ level: 2, flush: constants.Z_SYNC_FLUSH }),
  br: () =>
    createBrotliCompress({
      flush: constants.BROTLI_OPERATION_FLUSH,
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 3,
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_LGWIN]: WINDOW_BITS,
      },
    }),
  zstd: () =>
    createZstdCompress({
      flush: constants.ZSTD_e_flush,
      params: {
        [constants.ZSTD_c_compressionLevel]: 1,
        [constants.ZSTD_c_windowLog]: WINDOW_BITS,
      },
    }),
}

/** Of the smallest window that holds it all (RFC 7932, 9.1: 16 bytes less than a power of two). */
function windowBits(length: number): number {
  const bits = Math.ceil(Math.log2(length + 16))
  return Math.min(Math.max(bits, constants.BROTLI_MIN_WINDOW_BITS), constants.BROTLI_DEFAULT_WINDOW)
}
