import { constants } from 'node:fs'
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { type Static, Type } from 'typebox'
import { Check } from 'typebox/value'
import { ConfigurationError } from '#src/core/errors.ts'
import { foldName } from '#src/core/person-name.ts'
import { giveToOwner, PRIVATE, refusePlanted } from '#src/core/private-folder.ts'

/** One line: somebody was hidden, or shown again. `at` is PostgreSQL's time. */
const Hiding = Type.Object({
  at: Type.String({ pattern: '^2\\d{3}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' }),
  hva: Type.Union([Type.Literal('skjul'), Type.Literal('vis')]),
  navn: Type.String({ minLength: 1, maxLength: 200 }),
  fodselsaar: Type.Integer({ minimum: 1850, maximum: 2200 }),
  orgnr: Type.Union([Type.String({ pattern: '^[0-9]{9}$' }), Type.Null()]),
})
export type Hiding = Static<typeof Hiding>

/** Who is not to be shown as a holder: everywhere, or in one company (`orgnr`). `navn` in any spelling. */
export type HiddenPerson = Pick<Hiding, 'navn' | 'fodselsaar' | 'orgnr'>

const NAME = 'skjulte-personer.jsonl'
/** An operator's own doings; a file that is larger was made by something else. */
const BYTES_MAX = 16 * 1024 * 1024

/**
 * Writes it down beside the database, on disk when this returns: a database that is restored does not know whom an operator has hidden
 * since. Closed to others.
 */
export async function noteHiding(
  folder: string,
  hva: Hiding['hva'],
  { navn, fodselsaar, orgnr }: HiddenPerson,
  at: Date,
): Promise<void> {
  await mkdir(folder, { recursive: true, mode: PRIVATE })
  await refusePlanted(journalIn(folder))
  const path = journalIn(folder)
  // One that is there stays whose it is: it may lead elsewhere.
  const made = await open(path, 'ax', 0o600).catch(() => null)
  const file = made ?? (await openFile(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT))
  try {
    if (made !== null) await giveToOwner(made, folder)
    // A line that a crash cut off ends here, and is no line.
    const line = JSON.stringify({ at: at.toISOString(), hva, navn, fodselsaar, orgnr } satisfies Hiding)
    await file.appendFile(`\n${line}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
}

/**
 * What was written down, in the order of time; `unreadable` lines are left out. Nothing where there is no journal.
 *
 * @throws ConfigurationError when there is one that can not be read: who is hidden in it would be shown
 */
export async function readHidings(path: string): Promise<{ hidings: Hiding[]; unreadable: number }> {
  const text = await readText(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    if (error instanceof ConfigurationError) throw error
    throw new ConfigurationError(
      `${path}, the journal of who is hidden, can not be read (${error.code}). It is to be a file of the user the service runs as.`,
      { cause: error },
    )
  })
  const lines = text.split('\n').filter((line) => line !== '')
  const hidings = lines.flatMap((line) => readLine(line) ?? [])
  return {
    hidings: hidings.sort((one, other) => (one.at < other.at ? -1 : Number(one.at > other.at))),
    unreadable: lines.length - hidings.length,
  }
}

async function readText(path: string): Promise<string> {
  const file = await openFile(path, constants.O_RDONLY)
  try {
    if ((await file.stat()).size > BYTES_MAX)
      throw new ConfigurationError(`${path} is larger than a journal of who is hidden can be.`)
    return await file.readFile('utf8')
  } finally {
    await file.close()
  }
}

/**
 * Never waits for anybody: a named pipe would be waited for by its opening already, and what has no end be read for ever.
 *
 * @throws with a `code`
 */
async function openFile(path: string, flags: number): Promise<FileHandle> {
  const file = await open(path, flags | (constants.O_NONBLOCK ?? 0), 0o600)
  const found = await file.stat()
  if (found.isFile()) return file
  await file.close()
  throw Object.assign(new Error(`${path} is no file`), { code: found.isDirectory() ? 'EISDIR' : 'EINVAL' })
}

export function journalIn(folder: string): string {
  return join(folder, NAME)
}

function readLine(line: string): Hiding | null {
  try {
    const read: unknown = JSON.parse(line)
    // A day that no month has is no time to PostgreSQL, and what nothing is left of is no name.
    const isWhole = Check(Hiding, read) && !Number.isNaN(Date.parse(read.at)) && foldName(read.navn) !== ''
    return isWhole ? read : null
  } catch {
    return null
  }
}
