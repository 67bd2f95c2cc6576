import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Command } from 'commander'
import { Type } from 'typebox'
import { Check } from 'typebox/value'
import { readEnvironment } from '#config/environment.ts'
import { InputError, OppslagError } from '#src/core/errors.ts'
import { putAway } from '#src/core/log/to-file.ts'
import { findStory, type StoredStory } from '#src/storage/stories.ts'
import { aligned, asShown, asTime, print, printJson } from './output.ts'
import { withStorage } from './storage.ts'

/** `foresporsel vis <id>`: what became of one request. Looks in the log where that is files, and in the database. */
export function addRequestCommand(program: Command): void {
  program
    .command('foresporsel')
    .description('Forespørsler')
    .helpCommand(false)
    .command('vis')
    .description(
      'Vis én forespørsels historie: utfall, mellomlager, kilder som ble spurt, jobber som ble satt i gang',
    )
    .argument('<id>', 'foresporselId i svaret, eller headeren x-request-id')
    .option('--json', 'skriv JSON')
    .action(vis)
}

async function vis(id: string, { json }: { json?: true }): Promise<void> {
  if (!UUID.test(id))
    throw new InputError('ugyldig_foresporsel_id', 'id', {
      norsk: `«${id.slice(0, 60)}» er ingen forespørsels id. Den står i headeren x-request-id og i feilsvarets foresporselId.`,
      english: 'This is no id of a request.',
    })
  const { logFile } = readEnvironment(process.env)
  const lines = logFile === null ? [] : await linesAbout(id, logFile)
  const stored = await withStorage(({ database }) => findStory(database, id)).catch((error: unknown) => {
    // What failed while PostgreSQL was away is asked about while it is.
    if (!(error instanceof OppslagError) || lines.length === 0) throw error
    process.stderr.write(`oppslag: Bare loggen er lest: ${asShown(error.message)}\n`)
    return null
  })
  if (stored === null && lines.length === 0)
    throw new OppslagError(
      'ukjent_forespoersel',
      `Ingen historie er tatt vare på for ${id}. De siste ${KEPT} ligger i databasen, unntatt svar som lå ferdig i minnet: ` +
        `de har bare sin linje i loggen${logFile === null ? ', som ikke er en fil her (LOG_FILE)' : `, som ikke har den (${logFile})`}.`,
    )
  if (json) return printJson({ ...stored, logg: lines })
  if (stored !== null) print(...told(stored))
  for (const line of lines) print(`LOGG ${line}`)
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const KEPT = '100 000 i høyst tre døgn'

const Told = Type.Object({
  hva: Type.String(),
  status: Type.Number(),
  ms: Type.Number(),
  kode: Type.Union([Type.String(), Type.Null()]),
  hentet: Type.Union([Type.String(), Type.Null()]),
  spor: Type.Union([Type.String(), Type.Null()]),
  steg: Type.Array(
    Type.Object({
      hva: Type.String(),
      ms: Type.Number(),
      feil: Type.Union([Type.String(), Type.Null()]),
      mer: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()])),
    }),
  ),
})

function told({ at, prosess, slag, versjon, historie }: StoredStory): string[] {
  const who = `${asTime(at)}, ${slag} ${prosess.slice(0, 8)}, versjon ${versjon}`
  // As another release wrote it.
  if (!Check(Told, historie)) return [who, JSON.stringify(historie)]
  const { hva, status, ms, kode, hentet, spor, steg } = historie
  return [
    `${hva}: ${status}${kode === null ? '' : ` ${kode}`} på ${ms} ms`,
    who,
    ...(hentet === null ? [] : [`Hentet: ${hentet}`]),
    ...(spor === null ? [] : [`Spor: ${spor}`]),
    ...(steg.length === 0 ? ['Ingen kilde ble spurt.'] : ['']),
    ...aligned([
      ...(steg.length === 0 ? [] : [['STEG', 'MS', 'UTFALL']]),
      ...steg.map((each) => [
        each.hva,
        String(each.ms),
        [each.feil, ...Object.entries(each.mer).map(([name, value]) => `${name}=${value}`)]
          .filter((part) => part !== null)
          .join(' '),
      ]),
    ]),
  ]
}

/** Lines of the log that name it, also in what was put away; of what is written by others beside it nothing is repeated. */
async function linesAbout(id: string, log: string): Promise<string[]> {
  const found: string[] = []
  for (const file of [...(await putAway(log).catch(() => [])), log]) {
    const stream = createReadStream(file, 'utf8')
    const opened = new Promise<boolean>((resolve) => {
      stream.once('open', () => resolve(true))
      stream.once('error', () => resolve(false))
    })
    if (!(await opened)) continue
    for await (const line of createInterface({ input: stream }))
      if (line.includes(id) && found.length < LINES_MAX) found.push(line)
  }
  return found
}

const LINES_MAX = 50
