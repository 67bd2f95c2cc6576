import { closeSync, createReadStream, openSync, writeSync } from 'node:fs'
import { access, constants } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import type { Command } from 'commander'
import { readEnvironment } from '#config/environment.ts'
import { systemClock } from '#src/core/clock.ts'
import { InputError } from '#src/core/errors.ts'
import { type AccountsImport, importAccounts, type RefusedLine } from '#src/ops/import-accounts.ts'
import { giveCacheOrder } from '#src/storage/cache-orders.ts'
import { openStorage, type Storage } from '#src/storage/open-storage.ts'
import { orderSharedCache } from '#src/wiring/shared-cache.ts'
import { print, printJson } from './output.ts'

const REFUSED_SHOWN_MAX = 10
const REPORT_TEXT_MAX = 64 * 1024

/** `import regnskap`. */
export function addImportAccountsCommand(importCommand: Command): void {
  importCommand
    .command('regnskap')
    .description('Legg eldre årsregnskap i arkivet, fra JSON-linjer eller CSV')
    .argument('<fil>', 'filen, gjerne pakket med gzip; - er standard inn')
    .option('--avviste <fil>', 'skriv avviste linjer hit: linje;kode;felt;grunn')
    .option('--dry-run', 'les og kontroller alt, men lagre ingenting')
    .option('--json', 'skriv JSON')
    .action(importRegnskap)
}

type Options = { avviste?: string; dryRun?: boolean; json?: boolean }

async function importRegnskap(path: string, { avviste, dryRun: isDryRun = false, json }: Options) {
  const file = await openFile(path)
  const report = openReport(avviste)
  const { databaseUrl, dataDir, cacheRedisUrl } = readEnvironment(process.env)
  const storage = await openStorage({ databaseUrl, dataDir, applicationName: 'oppslag command', poolMax: 1 })
  const interrupted = new AbortController()
  const interrupt = () => interrupted.abort()
  process.once('SIGINT', interrupt)
  process.once('SIGTERM', interrupt)
  let hasKept = false
  try {
    const imported = await importAccounts(file, {
      database: storage.database,
      at: systemClock.now(),
      isDryRun,
      onRefused: report.add,
      onProgress(lines) {
        hasKept = !isDryRun
        if (process.stderr.isTTY) showProgress(lines)
      },
      signal: interrupted.signal,
    })
    if (!isDryRun) await renewCopies(imported.foretak, { storage, cacheRedisUrl })
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K')
    if (json) printJson(asJson(imported, { isDryRun, first: report.first }))
    else print(...asLines(imported, { isDryRun, first: report.first }))
    if (imported.avbrutt) process.exitCode = 1
  } catch (error) {
    // What was kept before it failed is to be seen all the same; why it failed is what the operator is told.
    if (hasKept) await renewCopies(null, { storage, cacheRedisUrl }).catch(() => {})
    throw error
  } finally {
    process.off('SIGINT', interrupt)
    process.off('SIGTERM', interrupt)
    report.close()
    await storage.close()
  }
}

async function openFile(path: string): Promise<Readable> {
  if (path === '-') return process.stdin
  await access(path, constants.R_OK).catch(() => {
    throw new InputError('ukjent_fil', 'fil', {
      norsk: `Filen ${path} finnes ikke eller kan ikke leses.`,
      english: `The file ${path} does not exist or can not be read.`,
    })
  })
  return createReadStream(path, { highWaterMark: 256 * 1024 })
}

/** The first refused lines in memory, all of them in the file when there is one. */
function openReport(path: string | undefined) {
  const file = path === undefined ? null : openForWriting(path)
  const first: RefusedLine[] = []
  let text = 'linje;kode;felt;grunn\n'

  function flush(): void {
    if (file !== null) writeSync(file, text)
    text = ''
  }

  return {
    first,
    add(refused: RefusedLine): void {
      if (first.length < REFUSED_SHOWN_MAX) first.push(refused)
      if (file === null) return
      const { linje, kode, felt, grunn } = refused
      text += `${linje};${kode};${felt ?? ''};${grunn}\n`
      if (text.length > REPORT_TEXT_MAX) flush()
    },
    close(): void {
      if (file === null) return
      flush()
      closeSync(file)
    },
  }
}

function openForWriting(path: string): number {
  try {
    return openSync(path, 'w', 0o600)
  } catch {
    throw new InputError('ugyldig_fil', 'avviste', {
      norsk: `Filen ${path} kan ikke skrives.`,
      english: `The file ${path} can not be written.`,
    })
  }
}

/** What is held of the companies something is new of is looked up anew, with what the archive has now. */
async function renewCopies(
  companies: string[] | null,
  { storage, cacheRedisUrl }: { storage: Storage; cacheRedisUrl: string | null },
): Promise<void> {
  for (const company of companies ?? ['']) {
    const order = { company, sections: ['regnskap'], isHard: false }
    // The shared tier first: a process that obeys then finds nothing old there.
    if (cacheRedisUrl !== null) await orderSharedCache(cacheRedisUrl, order)
    await giveCacheOrder(storage.database, order)
  }
}

function showProgress(lines: number): void {
  process.stderr.write(`\r${lines.toLocaleString('nb')} linjer`)
}

type Around = { isDryRun: boolean; first: readonly RefusedLine[] }

function asJson(imported: AccountsImport, { isDryRun, first }: Around) {
  return { ...imported, foretak: imported.foretak?.length ?? null, provekjoring: isDryRun, avviste: first }
}

function asLines({ linjer, innsendinger, avbrutt }: AccountsImport, { isDryRun, first }: Around): string[] {
  const counts: [string, number][] = [
    ['Linjer lest', linjer.lest],
    ['  tatt', linjer.tatt],
    ['  avvist', linjer.avvist],
    ['Regnskap, nye', innsendinger.ny],
    ['  endret', innsendinger.endret],
    ['  uendret', innsendinger.uendret],
    ['  gjentatt i filen', innsendinger.gjentatt],
    ['  om fjernede foretak, utelatt', innsendinger.fjernet],
  ]
  const more = linjer.avvist - first.length
  return [
    ...counts.map(([name, count]) => `${name.padEnd(32)}${String(count).padStart(10)}`),
    ...first.map(({ linje, grunn, felt }) => `Linje ${linje}: ${grunn}${felt === null ? '' : ` (${felt})`}`),
    ...(more > 0 ? [`… og ${more} til; --avviste <fil> gir alle.`] : []),
    ...(avbrutt ? ['Avbrutt. Det som er lest, er lagret; kjør igjen for resten.'] : []),
    ...(isDryRun ? ['Ingenting er lagret (--dry-run).'] : []),
  ]
}
