import { randomBytes } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { OppslagError } from '#src/core/errors.ts'

/** The file can not be read as lines of text. The message is for the operator. */
class RegisterFileError extends OppslagError {
  constructor(
    code: 'fil_uleselig' | 'fil_ikke_tekst' | 'fil_avkortet' | 'fil_for_stor',
    message: string,
    cause?: unknown,
  ) {
    super(code, message, { cause })
  }
}

export type RegisterFile = {
  /**
   * The unpacked bytes from the beginning, in blocks of whole lines; the last may lack its line feed. A block is
   * good until the next is asked for. The whole can be asked for again.
   *
   * @throws RegisterFileError when it ends in the middle, or a line is longer than any text
   */
  blocks(options?: { signal?: AbortSignal }): AsyncGenerator<Buffer>
  /** How much of it the last reading has come through, from 0 to 1. */
  share(): number
  /** False when somebody has written on it since. */
  isAsOpened(): Promise<boolean>
  close(): Promise<void>
}

/**
 * Opens a delivery: a path, or a stream, which is put in a temporary file first since it is read twice. That file is nobody
 * else's to read and has no name while it is read, so that it is gone however the process ends. Packed (gzip) or not is seen
 * from the bytes.
 *
 * @throws RegisterFileError
 */
export async function openRegisterFile(source: string | Readable): Promise<RegisterFile> {
  const { handle, close } = typeof source === 'string' ? await openPath(source) : await spool(source)
  try {
    const isPacked = await readMagic(handle)
    const { size, mtimeNs } = await handle.stat({ bigint: true })
    const place = { position: 0 }
    return {
      blocks: (options = {}) => blocks(handle, { isPacked, place, ...options }),
      share: () => (size === 0n ? 1 : Math.min(1, place.position / Number(size))),
      async isAsOpened() {
        const now = await handle.stat({ bigint: true })
        return now.size === size && now.mtimeNs === mtimeNs
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

const READ_BYTES = 256 * 1024
const LINE_BYTES_MAX = 64 * 1024
/** A hundred times a year's register. What unpacks to more is no register. */
const UNPACKED_BYTES_MAX = 32 * 1024 ** 3
const LINE_FEED = 10

async function openPath(path: string): Promise<{ handle: FileHandle; close(): Promise<void> }> {
  try {
    const handle = await open(path, 'r')
    if ((await handle.stat()).isFile()) return { handle, close: () => handle.close() }
    await handle.close()
  } catch (error) {
    throw new RegisterFileError('fil_uleselig', `Filen ${path} kan ikke åpnes${codeOf(error)}.`, error)
  }
  throw new RegisterFileError('fil_uleselig', `${path} er ikke en fil.`)
}

async function spool(stream: Readable): Promise<{ handle: FileHandle; close(): Promise<void> }> {
  const path = join(tmpdir(), `aksjonaerregister-${randomBytes(8).toString('hex')}`)
  const handle = await open(path, 'wx+', 0o600)
  let isNamed = true
  const unname = () =>
    rm(path).then(
      () => {
        isNamed = false
      },
      // A system that keeps the name of an open file; it goes when the file is closed.
      () => {},
    )
  const close = async () => {
    await handle.close()
    if (isNamed) await rm(path, { force: true })
  }
  try {
    await unname()
    await handle.writeFile(stream)
    return { handle, close }
  } catch (error) {
    await close()
    throw new RegisterFileError(
      'fil_uleselig',
      `Standard inn kan ikke leses og legges i ${tmpdir()}${codeOf(error)}.`,
      error,
    )
  }
}

async function readMagic(handle: FileHandle): Promise<boolean> {
  const { buffer } = await handle.read(Buffer.alloc(4), 0, 4, 0)
  if (buffer.subarray(0, 2).toString('latin1') === 'PK') {
    throw new RegisterFileError(
      'fil_ikke_tekst',
      'Filen er et ZIP-arkiv eller et regneark. Pakk den ut, eller be om CSV.',
    )
  }
  return buffer[0] === 0x1f && buffer[1] === 0x8b
}

async function* blocks(
  handle: FileHandle,
  { isPacked, place, signal }: { isPacked: boolean; place: { position: number }; signal?: AbortSignal },
): AsyncGenerator<Buffer> {
  const stored = storedBytes(handle, isPacked, place)
  const gunzip = createGunzip({ chunkSize: READ_BYTES })
  // A failure on either side is the iteration's.
  if (isPacked) pipeline(stored, gunzip).catch(() => {})
  const room = Buffer.alloc(LINE_BYTES_MAX + READ_BYTES)
  let rest = 0
  let unpacked = 0
  try {
    for await (const chunk of isPacked ? (gunzip as AsyncIterable<Buffer>) : stored) {
      signal?.throwIfAborted()
      unpacked += chunk.length
      if (unpacked > UNPACKED_BYTES_MAX) throw new RegisterFileError('fil_for_stor', 'Filen er for stor.')
      const filled = rest + chunk.copy(room, rest)
      const end = room.subarray(0, filled).lastIndexOf(LINE_FEED) + 1
      if (end > 0) yield room.subarray(0, end)
      room.copyWithin(0, end, filled)
      rest = filled - end
      if (rest > LINE_BYTES_MAX)
        throw new RegisterFileError('fil_ikke_tekst', 'Filen har en linje som er lengre enn noen tekst.')
    }
  } catch (error) {
    if (error instanceof RegisterFileError || signal?.aborted) throw error
    throw isPacked
      ? new RegisterFileError('fil_avkortet', `Den pakkede filen er ikke hel${codeOf(error)}.`, error)
      : new RegisterFileError('fil_uleselig', `Filen kan ikke leses${codeOf(error)}.`, error)
  } finally {
    gunzip.destroy()
  }
  if (rest > 0) yield room.subarray(0, rest)
}

/** The next part is read while whoever asked is at work on this one. */
async function* storedBytes(
  handle: FileHandle,
  isPacked: boolean,
  place: { position: number },
): AsyncGenerator<Buffer> {
  place.position = 0
  let spare = Buffer.allocUnsafe(READ_BYTES)
  let reading = handle.read(Buffer.allocUnsafe(READ_BYTES), 0, READ_BYTES, 0)
  try {
    for (;;) {
      const { buffer, bytesRead } = await reading
      if (bytesRead === 0) return
      place.position += bytesRead
      reading = handle.read(spare, 0, READ_BYTES, place.position)
      // Thrown when it is its turn.
      reading.catch(() => {})
      yield buffer.subarray(0, bytesRead)
      // Whoever unpacks may hold on to what it was given.
      spare = isPacked ? Buffer.allocUnsafe(READ_BYTES) : buffer
    }
  } finally {
    // So that nothing reads a file that is closed.
    await reading.catch(() => {})
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? ` (${error.code})` : ''
}
