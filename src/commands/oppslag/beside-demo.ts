import { lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isEmbeddedDatabaseRunning } from '#src/embedded/embedded-database.ts'

type Variables = Readonly<Record<string, string>>
type Note = { pid: number; address: string; variables: Variables }

/** Where the demo, which makes up its own environment, leaves word of it. */
const NOTE = 'demo.json'

/**
 * Leaves word of a running demo in its data folder, so that a command typed beside it finds its database and sends its mail.
 * Where the folder can not be written to, commands want to be told.
 *
 * @returns takes the word back
 */
export function noteDemo(
  folder: string,
  { address, variables }: { address: string; variables: Variables },
): () => void {
  const file = join(folder, NOTE)
  const note: Note = { pid: process.pid, address, variables: { DATA_DIR: resolve(folder), ...variables } }
  try {
    writeFileSync(file, JSON.stringify(note), { mode: 0o600 })
  } catch {
    return () => {}
  }
  return () => rmSync(file, { force: true })
}

/**
 * What a command is to know of a demo that runs beside it; null when there is none, or the command was told of a database.
 * A service that runs on the usual folder goes before a demo.
 *
 * @param folder of the data of services, with those of demos in it
 * @returns the variables the command takes over, and one line that says whose database it is
 */
export async function besideDemo(
  env: Readonly<Record<string, string | undefined>>,
  folder = '.data',
): Promise<{ variables: Variables; said: string } | null> {
  if (env.DATABASE_URL) return null
  const note = (env.DATA_DIR ? [env.DATA_DIR] : demoFolders(folder))
    .map(readNote)
    .find((each) => each !== null)
  if (note === undefined) return null
  const { address, variables } = note
  if (!env.DATA_DIR && (await isEmbeddedDatabaseRunning(folder))) {
    return {
      variables: {},
      said: `Gjelder tjenesten på ${folder}. Demoen på ${address} har en annen database: DATA_DIR=${variables.DATA_DIR}`,
    }
  }
  return { variables, said: `Gjelder demoen på ${address}.` }
}

function demoFolders(folder: string): string[] {
  try {
    const names = readdirSync(folder).filter((name) => /^demo(-\d+)?$/.test(name))
    return names.sort((a, b) => a.length - b.length || a.localeCompare(b)).map((name) => join(folder, name))
  } catch {
    return []
  }
}

/**
 * Null where no demo runs: also when it was killed and could not take its word back. What another user says is no word of a demo: a
 * command would go to a database of theirs.
 */
function readNote(folder: string): Note | null {
  try {
    const file = join(folder, NOTE)
    if (process.getuid !== undefined && lstatSync(file).uid !== process.getuid()) return null
    const note = JSON.parse(readFileSync(file, 'utf8')) as Note
    process.kill(note.pid, 0)
    return note
  } catch {
    return null
  }
}
