import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createGunzip } from 'node:zlib'
import {
  type BackedUpTable,
  BackupUnreadableError,
  type Beginning,
  END_OF_ROWS,
  type Ending,
  isEnding,
  readBeginning,
  readEnding,
  readTable,
  SETTINGS,
  statementsAfter,
  statementsAtEnd,
  statementsBefore,
} from './format.ts'

/** Takes a table's rows in, in the order they stand. */
export type Taker = { take(rows: Buffer): Promise<void>; end(): Promise<void> }

/**
 * Goes through a backup from first to last, and holds every row against what the file says of itself at its end. Only when this
 * returns was it whole: whoever takes rows meanwhile lets go of them when it throws.
 *
 * @throws BackupUnreadableError
 */
export async function readBackup(
  path: string,
  {
    onBeginning = async () => {},
    open = async () => ({ take: async () => {}, end: async () => {} }),
    onProgress = () => {},
    signal,
  }: {
    onBeginning?: (beginning: Beginning) => Promise<void>
    open?: (table: BackedUpTable) => Promise<Taker>
    onProgress?: (progress: { table: string; bytes: number }) => void
    signal?: AbortSignal | undefined
  } = {},
): Promise<{ beginning: Beginning; ending: Ending }> {
  await refuseNoFile(path)
  const text = createText(unpacked(path, signal))
  const beginning = readBeginning(await text.comment())
  await text.expect(SETTINGS)
  await onBeginning(beginning)
  const found: Ending['tabeller'] = []
  let bytes = 0
  for (;;) {
    const said = await text.comment()
    if (isEnding(said)) {
      const ending = readEnding(said)
      await text.expect(statementsAtEnd(ending))
      await text.expectEnd()
      if (JSON.stringify(ending.tabeller) !== JSON.stringify(found))
        throw new BackupUnreadableError('radene er ikke de som ble skrevet')
      return { beginning, ending }
    }
    const table = readTable(said)
    await text.expect(statementsBefore(table))
    const taker = await open(table)
    const hash = createHash('sha256')
    let rader = 0
    for await (const rows of text.rows()) {
      hash.update(rows)
      for (let at = rows.indexOf(LINE_END); at >= 0; at = rows.indexOf(LINE_END, at + 1)) rader++
      bytes += rows.length
      await taker.take(rows)
      onProgress({ table: table.tabell, bytes })
    }
    await taker.end()
    await text.expect(statementsAfter(table))
    found.push({ tabell: table.tabell, rader, sha256: hash.digest('hex') })
  }
}

const LINE_END = 10
const CHUNK_BYTES = 256 * 1024
const LINE_BYTES_MAX = 32 * 1024 * 1024

/** To open a named pipe waits for whoever writes to it, in a thread that nothing can end: not even a signal to the process. */
async function refuseNoFile(path: string): Promise<void> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'ENOENT' ? 'finnes ikke' : `kan ikke leses (${error.code ?? 'ukjent feil'})`
    throw new BackupUnreadableError(`${path} ${why}`, error)
  })
  if (!found.isFile()) throw new BackupUnreadableError(`${path} er ingen vanlig fil`)
}

async function* unpacked(path: string, signal: AbortSignal | undefined): AsyncGenerator<Buffer> {
  const file = createReadStream(path, { signal })
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES })
  file.on('error', (error) => gunzip.destroy(error))
  try {
    yield* file.pipe(gunzip) as AsyncIterable<Buffer>
  } catch (error) {
    signal?.throwIfAborted()
    const { code } = error as NodeJS.ErrnoException
    if (code === 'Z_BUF_ERROR') throw new BackupUnreadableError('den er avkortet', error)
    throw new BackupUnreadableError(`den kan ikke pakkes ut (${code ?? 'ukjent feil'})`, error)
  } finally {
    file.destroy()
    gunzip.destroy()
  }
}

/** The lines of the file, and between them the rows of tables, however long they are. */
function createText(chunks: AsyncIterator<Buffer>) {
  let held: Buffer = Buffer.alloc(0)

  async function more(): Promise<boolean> {
    const next = await chunks.next()
    if (next.done) return false
    held = held.length === 0 ? next.value : Buffer.concat([held, next.value])
    return true
  }

  async function line(): Promise<string> {
    for (let from = 0; ; ) {
      const end = held.indexOf(LINE_END, from)
      if (end >= 0) {
        const found = held.toString('utf8', 0, end)
        held = held.subarray(end + 1)
        return found
      }
      from = held.length
      if (held.length > LINE_BYTES_MAX) throw new BackupUnreadableError('en linje er for lang')
      if (!(await more())) throw new BackupUnreadableError('den er avkortet')
    }
  }

  return {
    /** What the next line says for us. */
    async comment(): Promise<unknown> {
      const text = await line()
      try {
        if (text.startsWith('-- ')) return JSON.parse(text.slice(3))
      } catch {
        // As any other line that is not ours.
      }
      throw new BackupUnreadableError('den er ikke skrevet herfra')
    },

    /** The statements that follow are those it stands for, and no others. */
    async expect(statements: readonly string[]): Promise<void> {
      for (const statement of statements) {
        if ((await line()) !== `${statement};`) throw new BackupUnreadableError('den er ikke skrevet herfra')
      }
    },

    async expectEnd(): Promise<void> {
      if (held.length > 0 || (await more())) throw new BackupUnreadableError('det står mer etter slutten')
    },

    /** Whole rows, until the line that ends them. No row looks like it: COPY writes a backslash as two. */
    async *rows(): AsyncGenerator<Buffer> {
      for (;;) {
        const end = endOfRows(held)
        if (end !== null) {
          if (end > 0) yield held.subarray(0, end)
          held = held.subarray(end + END.length)
          return
        }
        const whole = held.lastIndexOf(LINE_END) + 1
        // The line that ends them may be only half here.
        if (whole > 0) {
          const rows = held.subarray(0, whole)
          held = held.subarray(whole)
          yield rows
        } else if (held.length > LINE_BYTES_MAX) throw new BackupUnreadableError('en rad er for lang')
        if (!(await more())) throw new BackupUnreadableError('den er avkortet')
      }
    },
  }
}

const END = Buffer.from(`${END_OF_ROWS}\n`)

/** Where the line that ends the rows begins; `held` begins at the beginning of a line. */
function endOfRows(held: Buffer): number | null {
  if (held.subarray(0, END.length).equals(END)) return 0
  const at = held.indexOf(`\n${END_OF_ROWS}\n`)
  return at < 0 ? null : at + 1
}
