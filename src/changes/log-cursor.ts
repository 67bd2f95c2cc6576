import { hash } from 'node:crypto'

/**
 * Where a reader of the change log stands: all up to `nr` is read. `mark` is of the line with that number, so that a log that was
 * put back from a backup, and has numbered on from there, is not taken for the one the cursor is of.
 */
export type LogCursor = { nr: number; mark: number }

/** The beginning of the log. */
export const LOG_START: LogCursor = { nr: 0, mark: 0 }

const VERSION = 1
const BYTES = 15
const CHECKED = BYTES - 4
const NAME = Buffer.from('endringspeker')

/** As text that a caller hands back as it is. It tells of nobody's companies, and a slip of the pen is no other cursor. */
export function writeLogCursor({ nr, mark }: LogCursor): string {
  const bytes = Buffer.alloc(BYTES)
  bytes.writeUInt8(VERSION, 0)
  bytes.writeUIntBE(nr, 1, 6)
  bytes.writeUInt32BE(mark, 7)
  checksum(bytes).copy(bytes, CHECKED)
  return bytes.toString('base64url')
}

/** null for anything that `writeLogCursor` did not write. */
export function readLogCursor(text: string): LogCursor | null {
  if (!/^[A-Za-z0-9_-]{20}$/.test(text)) return null
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.readUInt8(0) !== VERSION || !checksum(bytes).equals(bytes.subarray(CHECKED))) return null
  return { nr: bytes.readUIntBE(1, 6), mark: bytes.readUInt32BE(7) }
}

/** The place after a line. Nothing of the company is in it. */
export function cursorAfter({ nr, sett }: { nr: number; sett: Date }): LogCursor {
  return { nr, mark: hash('sha256', `${nr} ${sett.getTime()}`, 'buffer').readUInt32BE(0) }
}

function checksum(bytes: Buffer): Buffer {
  return hash('sha256', Buffer.concat([NAME, bytes.subarray(0, CHECKED)]), 'buffer').subarray(0, 4)
}
