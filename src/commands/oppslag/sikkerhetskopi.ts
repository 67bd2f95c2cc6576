import { readdir, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { Command } from 'commander'
import { readEnvironment } from '#config/environment.ts'
import type { Beginning, Ending } from '#src/backup/format.ts'
import { restoreBackup, tryBackup } from '#src/backup/restore-backup.ts'
import { upgradeEmbeddedDatabase } from '#src/backup/upgrade.ts'
import { type Backup, writeBackup } from '#src/backup/write-backup.ts'
import { systemClock } from '#src/core/clock.ts'
import { InputError, OppslagError } from '#src/core/errors.ts'
import { refusePlanted } from '#src/core/private-folder.ts'
import { untilTold } from '#src/core/start.ts'
import { clusterVersion } from '#src/embedded/cluster.ts'
import { openEmbeddedDatabase } from '#src/embedded/embedded-database.ts'
import { actOnRecord } from '#src/ops/deeds.ts'
import { createDatabase, type Database } from '#src/storage/database.ts'
import { listDeeds, recordDeed } from '#src/storage/operator-trail.ts'
import { openReceiptSeries } from '#src/storage/receipts.ts'
import { replayHidings } from '#src/storage/shareholders/hidden-persons.ts'
import { journalIn, readHidings } from '#src/storage/shareholders/hiding-journal.ts'
import { createBackupProgress } from './backup-progress.ts'
import { byOf, type ReasonOptions, withReason } from './by.ts'
import { interruptible } from './interruptible.ts'
import { aligned, asTime, print, printJson } from './output.ts'

/** `sikkerhetskopi`, `gjenopprett`, `oppgrader`. */
export function addBackupCommands(program: Command): void {
  withReason(
    program
      .command('sikkerhetskopi')
      .description('Skriv alt som skal tas vare på, til en fil; også mens tjenesten går')
      .option('--til <mappe>', 'mappen filen legges i; ellers sikkerhetskopier i DATA_DIR')
      .option('--behold <antall>', 'slett de eldste kopiene i mappen, så det er så mange igjen'),
  ).action(sikkerhetskopi)
  withReason(
    program
      .command('gjenopprett')
      .description('Les en sikkerhetskopi inn i en tom database eller DATA_DIR')
      .argument('<fil>', 'sikkerhetskopien')
      .option('--prov', 'bare se om filen er hel og kan leses inn'),
  ).action(gjenopprett)
  withReason(
    program
      .command('oppgrader')
      .description('Ta den innebygde databasen med fra en eldre PostgreSQL til denne utgavens')
      .option('--programmer <mappe>', 'mappen med den eldre utgavens bin/pg_ctl'),
  ).action(oppgrader)
}

type BackupOptions = ReasonOptions & { til?: string; behold?: string }

async function sikkerhetskopi(options: BackupOptions): Promise<void> {
  const by = byOf(options)
  const keep = readKeep(options.behold)
  const { databaseUrl, dataDir } = readEnvironment(process.env)
  const folder = resolve(options.til ?? join(dataDir, 'sikkerhetskopier'))
  if (options.til === undefined) await refusePlanted(folder)
  const now = systemClock.now()
  const server = await untilTold((ended) => openAsItIs(databaseUrl, dataDir, ended))
  await withServer(server, async (url, db) => {
    const made = await withProgress((signal, onProgress) =>
      actOnRecord({ db, clock: systemClock }, { ...by, handling: 'sikkerhetskopi', gjelder: null }, () =>
        writeBackup({ url, path: join(folder, nameAt(now)), now, onProgress, signal }),
      ),
    )
    const removed = keep === null ? [] : await removeOldest(made.path, keep)
    const { path, bytes } = made
    if (options.json)
      return printJson({ fil: path, byte: bytes, ...told(made), utelatt: made.leftOut, slettet: removed })
    print(
      `Sikkerhetskopien er skrevet, lest tilbake og funnet hel: ${path} (${megabytes(bytes)}).`,
      ...asLines(made),
      ...made.leftOut.map((name) => `Utelatt, siden den ikke er tjenestens: ${name}.`),
      ...removed.map((name) => `Slettet den eldre ${name}.`),
      'Den har kundenes adresser og Vipps’ hemmeligheter i seg. Ta den med til en annen maskin, kryptert.',
    )
  })
}

async function gjenopprett(path: string, options: ReasonOptions & { prov?: true }): Promise<void> {
  if (options.prov) {
    const read = await withProgress((signal, onProgress) =>
      tryBackup(path, { signal, onProgress: (seen) => onProgress({ stage: 'kontrollerer', ...seen }) }),
    )
    if (options.json) return printJson({ fil: path, ...told(read) })
    return print('Sikkerhetskopien er hel. Ingenting er endret (--prov).', ...asLines(read))
  }
  const by = byOf(options)
  const { databaseUrl, dataDir } = readEnvironment(process.env)
  const begun = await withProgress(async (signal, onProgress) => {
    // Looked through first: a file that is not whole makes no database.
    const { beginning } = await tryBackup(path, {
      signal,
      onProgress: (seen) => onProgress({ stage: 'kontrollerer', ...seen }),
    })
    const at = systemClock.now()
    refuseClockBehind(at, beginning)
    const { hidings } = await readHidings(journalIn(dataDir))
    let [bilagFra, skjult] = [0, 0]
    const server = databaseUrl === null ? await openEmbeddedDatabase({ dataDir }) : remote(databaseUrl)
    const read = await withServer(server, (url, db) =>
      restoreBackup({
        url,
        path,
        // With the rows: nothing is sold, and nobody is shown, before it.
        async onRead(connection, { tatt }) {
          await recordDeed(connection, {
            ...by,
            at,
            handling: 'gjenopprett',
            gjelder: tatt,
            utfall: 'gjort',
          })
          bilagFra = await openReceiptSeries(connection, at)
          skjult = await replayHidings({ transaction: (work) => work(connection) }, hidings)
        },
        onProgress,
        signal,
      }).catch(async (error: unknown) => {
        throw (await isRestored(db, beginning)) ? alreadyRestored(beginning) : error
      }),
    )
    return { ...read, bilagFra, skjult }
  })
  if (options.json)
    return printJson({
      fil: path,
      ...told(begun),
      bilagFra: begun.bilagFra,
      skjulingerGjentatt: begun.skjult,
    })
  print(
    'Sikkerhetskopien er lest inn.',
    ...asLines(begun),
    `Skjulinger av personer siden kopien, gjentatt fra ${journalIn(dataDir)}: ${begun.skjult}.`,
    `Bilag og kreditnotaer går videre fra nummer ${begun.bilagFra}: numrene imellom kan være gitt siden kopien.`,
    ...AFTERWARDS,
  )
}

/** A series of the books begins with the time: one that went back to an earlier time could be given twice. */
function refuseClockBehind(at: Date, { tatt }: Beginning): void {
  if (at >= new Date(tatt)) return
  throw new OppslagError(
    'klokken_gar_etter',
    `Kopien er tatt ${tatt}, og maskinens klokke er ${at.toISOString()}: still klokken først. Ingenting er endret.`,
  )
}

/** That it was read in stands in the trail with its rows, also where whoever did it was killed before they could be told. */
async function isRestored(db: Database, { tatt }: Beginning): Promise<boolean> {
  try {
    const [last] = await listDeeds(db, { gjelder: [tatt], limit: 1 })
    return last?.handling === 'gjenopprett'
  } catch {
    return false
  }
}

function alreadyRestored({ tatt }: Beginning): OppslagError {
  return new OppslagError(
    'lest_inn_fra_for',
    `Kopien fra ${tatt} er lest inn her fra før, hel. Ingenting er endret nå. ${AFTERWARDS.join(' ')}`,
  )
}

/** What a backup can not know: it is of its moment. */
const AFTERWARDS = [
  'Tøm køens Redis (FLUSHDB) før tjenesten startes: det som skal gjøres, står i databasen.',
  'Skjulinger som ble gjort på andre maskiner, gjentas når tjenesten startes der journalen deres ligger (skjulte-personer.jsonl i DATA_DIR).',
  'Fjernede foretak viskes ut igjen av seg selv. Gjenta kunde slett for dem som er slettet siden kopien ble tatt.',
  'Kjøp siden kopien finnes ikke her: oppslag kunde avstem sammenligner med Vipps.',
]

async function oppgrader(options: ReasonOptions & { programmer?: string }): Promise<void> {
  const by = byOf(options)
  const { databaseUrl, dataDir } = readEnvironment(process.env)
  if (databaseUrl !== null)
    throw new OppslagError(
      'ikke_innebygd',
      'DATABASE_URL er satt: en egen PostgreSQL oppgraderes med dens egne programmer (pg_upgrade), eller ved sikkerhetskopi og gjenopprett.',
    )
  const programs = options.programmer === undefined ? null : resolve(options.programmer)
  const done = await withProgress((signal, onProgress) =>
    upgradeEmbeddedDatabase({ dataDir, programs, now: systemClock.now(), onProgress, signal }),
  )
  const { from, to, kept, backup } = done
  await withServer(await openEmbeddedDatabase({ dataDir }), (_url, db) =>
    recordDeed(db, {
      ...by,
      at: systemClock.now(),
      handling: 'oppgrader',
      gjelder: `PostgreSQL ${to}`,
      utfall: 'gjort',
    }),
  )
  if (options.json) return printJson({ fra: from, til: to, gammel: kept, sikkerhetskopi: backup })
  if (from === null) return print(`Oppgraderingen til PostgreSQL ${to} er fullført. Tjenesten kan startes.`)
  print(
    `Databasen er tatt med fra PostgreSQL ${from} til ${to}. Tjenesten kan startes.`,
    `Den gamle ligger urørt i ${kept}, og kopien den ble tatt med i, er ${backup}. Slett dem når alt er som det skal.`,
  )
}

type Server = { url: string; close(): Promise<void> }

function remote(url: string): Server {
  return { url, close: async () => {} }
}

/**
 * The database as it is, of whatever release: nothing is made or brought up to date.
 *
 * @throws OppslagError when there is none
 */
async function openAsItIs(databaseUrl: string | null, dataDir: string, ended: AbortSignal): Promise<Server> {
  if (databaseUrl !== null) return remote(databaseUrl)
  if ((await clusterVersion(dataDir)) !== null) return openEmbeddedDatabase({ dataDir, ended })
  throw new OppslagError('ingen_database', `Det er ingen database i ${dataDir} å ta kopi av.`)
}

async function withServer<T>(server: Server, work: (url: string, db: Database) => Promise<T>): Promise<T> {
  const db = createDatabase({
    url: server.url,
    poolMax: 1,
    applicationName: 'oppslag command',
    connectTimeoutMs: 5000,
    statementTimeoutMs: 5000,
  })
  try {
    return await work(server.url, db)
  } finally {
    await db.close()
    await server.close()
  }
}

/** Ends in order at Ctrl-C, with nothing half done left. */
async function withProgress<T>(
  work: (signal: AbortSignal, onProgress: ReturnType<typeof createBackupProgress>['show']) => Promise<T>,
): Promise<T> {
  const progress = createBackupProgress(process.stderr)
  return interruptible(async (interrupted) => {
    try {
      return await work(interrupted, progress.show)
    } catch (error) {
      throw interrupted.aborted
        ? new OppslagError('avbrutt', 'Avbrutt. Ingenting er endret.', { cause: error })
        : error
    } finally {
      progress.end()
    }
  })
}

function nameAt(now: Date): string {
  return `oppslag-${now.toISOString().replace(/[-:]|\..*/g, '')}Z.sql.gz`
}

const NAME = /^oppslag-\d{8}T\d{6}Z\.sql\.gz$/

/**
 * Only what this command has named itself, and no later than the one that was just made: a clock that was ahead has made names which
 * are not older. @returns the names of what is gone
 */
async function removeOldest(made: string, keep: number): Promise<string[]> {
  const folder = dirname(made)
  const names = (await readdir(folder)).filter((name) => NAME.test(name) && name <= basename(made)).sort()
  const old = names.slice(0, Math.max(0, names.length - keep))
  for (const name of old) await rm(join(folder, name), { force: true })
  return old
}

function readKeep(text: string | undefined): number | null {
  if (text === undefined) return null
  if (/^[1-9][0-9]{0,3}$/.test(text)) return Number(text)
  throw new InputError('ugyldig_antall', 'behold', {
    norsk: '--behold er et antall fra 1 til 9999.',
    english: '--behold is a number from 1 to 9999.',
  })
}

type Told = { beginning: Beginning; ending: Ending } | Backup

function told({ beginning, ending }: Told) {
  const { tatt, postgres, skjema } = beginning
  return { tatt, postgres, skjema: skjema.at(-1)?.navn, tabeller: ending.tabeller }
}

function asLines({ beginning, ending }: Told): string[] {
  const filled = ending.tabeller.filter(({ rader }) => rader > 0)
  const { tatt, postgres, skjema } = beginning
  return [
    `Tatt ${asTime(new Date(tatt))} av PostgreSQL ${postgres}, skjema ${skjema.at(-1)?.navn ?? 'ukjent'}.`,
    ...aligned([['TABELL', 'RADER'], ...filled.map(({ tabell, rader }) => [tabell, String(rader)])]),
    `${ending.tabeller.length - filled.length} tabeller er tomme.`,
  ]
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
