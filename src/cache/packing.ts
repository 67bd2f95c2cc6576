import { hash } from 'node:crypto'
import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib'
import { dictionary } from './dictionary.ts'
import type { Entry } from './entry.ts'

/**
 * An entry as bytes, the same in memory and in Redis:
 *
 *     0   4  schema version
 *     4   6  freshUntil       first among the times, at a place a Redis script can rewrite
 *    10   1  isSaidStale, 0 or 1: beside it, so that the script can set both at once
 *    11   6  fetchedAt
 *    17   6  staleUntil
 *    23   6  keepUntil
 *    29   4  CRC-32 of the body: deflate has no checksum, and a changed dictionary would turn into wrong words
 *    33   1  length of the state
 *    34   …  the state (ASCII)
 *     …   …  the body, deflated (RFC 1951) with the dictionary
 *
 * Times are unsigned 48-bit big-endian milliseconds, so that as byte strings they sort like the times they are.
 *
 * @throws RangeError when the entry does not fit: see `fits`
 */
export function pack(entry: Entry, schemaVersion: number): Buffer {
  const deflated = deflateRawSync(entry.body, DEFLATE)
  const bytes = Buffer.allocUnsafe(HEADER_LENGTH + entry.state.length + deflated.length)
  bytes.writeUInt32BE(schemaVersion, 0)
  bytes.writeUIntBE(entry.freshUntil, FRESH_UNTIL_AT, 6)
  bytes.writeUInt8(entry.isSaidStale ? 1 : 0, SAID_STALE_AT)
  bytes.writeUIntBE(entry.fetchedAt, FETCHED_AT, 6)
  bytes.writeUIntBE(entry.staleUntil, STALE_UNTIL_AT, 6)
  bytes.writeUIntBE(entry.keepUntil, KEEP_UNTIL_AT, 6)
  bytes.writeUInt32BE(crc32(entry.body), CHECKSUM_AT)
  bytes.writeUInt8(entry.state.length, STATE_LENGTH_AT)
  bytes.write(entry.state, HEADER_LENGTH, 'latin1')
  deflated.copy(bytes, HEADER_LENGTH + entry.state.length)
  return bytes
}

/**
 * Reads what `pack` wrote; null for anything else: another version, cut off, damaged, packed with another dictionary, or
 * larger than BODY_BYTES_MAX when unpacked. What can not be read is a miss, never an error.
 */
export function unpack(bytes: Buffer, schemaVersion: number): Entry | null {
  if (bytes.length < HEADER_LENGTH || bytes.readUInt32BE(0) !== schemaVersion) return null
  const bodyAt = HEADER_LENGTH + bytes.readUInt8(STATE_LENGTH_AT)
  const state = bytes.toString('latin1', HEADER_LENGTH, bodyAt)
  if (bytes.length <= bodyAt || !STATE.test(state)) return null
  const body = inflated(bytes.subarray(bodyAt))
  if (body === null || crc32(body) !== bytes.readUInt32BE(CHECKSUM_AT)) return null
  return {
    body,
    state,
    fetchedAt: bytes.readUIntBE(FETCHED_AT, 6),
    freshUntil: bytes.readUIntBE(FRESH_UNTIL_AT, 6),
    staleUntil: bytes.readUIntBE(STALE_UNTIL_AT, 6),
    keepUntil: bytes.readUIntBE(KEEP_UNTIL_AT, 6),
    isSaidStale: isSaidStale(bytes),
  }
}

/** True when an entry can be packed and read again. */
export function fits(entry: Entry): boolean {
  return entry.body.length <= BODY_BYTES_MAX && STATE.test(entry.state)
}

/** The same entry, said to be stale and fresh no longer than until `now`. */
export function softened(bytes: Buffer, now: number): Buffer {
  if (bytes.length < HEADER_LENGTH) return bytes
  const freshUntil = bytes.readUIntBE(FRESH_UNTIL_AT, 6)
  if (isSaidStale(bytes) && freshUntil <= now) return bytes
  const copy = Buffer.from(bytes)
  copy.writeUIntBE(Math.min(freshUntil, now), FRESH_UNTIL_AT, 6)
  copy.writeUInt8(1, SAID_STALE_AT)
  return copy
}

/** A time as `pack` writes it, for scripts that compare and replace it. */
export function timeBytes(time: number): Buffer {
  const bytes = Buffer.alloc(6)
  bytes.writeUIntBE(time, 0, 6)
  return bytes
}

/** True when both are the same fetch in the same freshness: one is not a refreshed or softened other. */
export function isSameCopy(bytes: Buffer, entry: Entry): boolean {
  return (
    bytes.length >= HEADER_LENGTH &&
    bytes.readUIntBE(FETCHED_AT, 6) === entry.fetchedAt &&
    bytes.readUIntBE(FRESH_UNTIL_AT, 6) === entry.freshUntil &&
    isSaidStale(bytes) === entry.isSaidStale
  )
}

/** When it was fetched. */
export function fetchedAtOf(bytes: Buffer): number {
  return timeAt(bytes, FETCHED_AT)
}

/** Until when it is known. */
export function keepUntilOf(bytes: Buffer): number {
  return timeAt(bytes, KEEP_UNTIL_AT)
}

/** What is too short to be an entry is older than any, and known no longer. */
function timeAt(bytes: Buffer, at: number): number {
  return bytes.length < HEADER_LENGTH ? 0 : bytes.readUIntBE(at, 6)
}

/** All but the version, the state and the body: no two entries of a section have the same. */
export function stampOf(bytes: Buffer): Buffer {
  return bytes.subarray(STAMP_AT, STAMP_AT + STAMP_LENGTH)
}

function isSaidStale(bytes: Buffer): boolean {
  return bytes.readUInt8(SAID_STALE_AT) === 1
}

/** True when one was fetched later than the other. */
export function isNewer(bytes: Buffer, other: Buffer): boolean {
  return fetchedAtOf(bytes) > fetchedAtOf(other)
}

/** A part of the schema version: the layout above, counted up when it changes, and the dictionary. */
export const PACKED_AS = `2 ${hash('sha256', dictionary)}`

/** The registers' own bound on an answer; also what damaged or forged bytes may make us allocate. */
export const BODY_BYTES_MAX = 4 * 1024 * 1024

/** Times, what was said, and the checksum of the body: scripts compare it. */
export const STAMP_AT = 4
export const STAMP_LENGTH = 29

const FRESH_UNTIL_AT = 4
const SAID_STALE_AT = 10
const FETCHED_AT = 11
const STALE_UNTIL_AT = 17
const KEEP_UNTIL_AT = 23
const CHECKSUM_AT = 29
const STATE_LENGTH_AT = 33
const HEADER_LENGTH = 34
const STATE = /^[a-z][a-z0-9_-]{0,31}$/

/**
 * Most bodies fit into one small chunk: of the usual 16 kB a new pool would have to be made after every fourth.
 *
 * With this dictionary deflate is both smaller and faster than zstd on answers of a kilobyte: on invented companies 1.16 kB a
 * record against 1.26 kB, 4 µs of CPU to unpack a section against 15 µs, which mostly went into making a decoder. Its tables are
 * made and cleared anew for each: smaller ones (`memLevel`, 8 unless told) pack these bodies to the same bytes for a fifth less CPU.
 */
const DEFLATE = { dictionary, chunkSize: 4096, memLevel: 6 }

function inflated(deflated: Buffer): Buffer | null {
  try {
    return inflateRawSync(deflated, { ...DEFLATE, maxOutputLength: BODY_BYTES_MAX })
  } catch {
    return null
  }
}
