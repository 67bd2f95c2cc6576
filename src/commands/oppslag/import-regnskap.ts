import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import type { Command } from 'commander'
import { readEnvironment } from '#config/environment.ts'
import { systemClock } from '#src/core/clock.ts'
import { OppslagError } from '#src/core/errors.ts'
import { type AccountsImport, importAccounts, type RefusedLine } from '#src/imports/import-accounts.ts'
import { actOnRecord, type DeedEnding } from '#src/ops/deeds.ts'
import { giveCacheOrder } from '#src/storage/cache-orders.ts'
import type { Storage } from '#src/storage/open-storage.ts'
import { openCommandStorage } from '#src/wiring/command-storage.ts'
import { byOf, type ReasonOptions, withReason } from './by.ts'
import { requireFile } from './input-file.ts'
import { interruptible } from './interruptible.ts'
import { print, printJson } from './output.ts'
import { openRefusedReport } from './refused-report.ts'

/** `import regnskap`. */
export function addImportAccountsCommand(importCommand: Command): void {
  const command = importCommand
    .command('regnskap')
    .description('Legg eldre årsregnskap i arkivet, fra JSON-linjer eller CSV')
    .argument('<fil>', 'filen, gjerne pakket med gzip; - er standard inn')
    .option('--avviste <fil>', 'skriv avviste linjer hit: linje;kode;felt;grunn')
    .option('--prov', 'les og kontroller alt, men lagre ingenting')
  withReason(command).action(importRegnskap)
}

type Options = ReasonOptions & { avviste?: string; prov?: boolean }

async function importRegnskap(path: string, options: Options) {
  const { avviste, prov: isDryRun = false, json } = options
  const by = isDryRun ? null : byOf(options)
  await requireFile(path)
  const report = openRefusedReport<RefusedLine>(avviste, {
    header: 'linje;kode;felt;grunn',
    asLine: ({ linje, kode, felt, grunn }) => `${linje};${kode};${felt ?? ''};${grunn}`,
  })
  const { databaseUrl, dataDir, cacheRedisUrl } = readEnvironment(process.env)
  const storage = await openCommandStorage({ databaseUrl, dataDir, poolMax: 1 })
  let hasKept = false
  let isInterrupted = false
  try {
    const imported = await interruptible((signal) => {
      const { file, sha256 } = openFile(path, signal)
      const load = () =>
        importAccounts(file, {
          database: storage.database,
          at: systemClock.now(),
          isDryRun,
          onRefused: report.add,
          onProgress(lines) {
            hasKept = !isDryRun
            if (process.stderr.isTTY) showProgress(lines)
          },
          signal,
        })
      if (by === null) return load()
      return actOnRecord(
        { db: storage.database, clock: systemClock },
        { ...by, handling: 'import.regnskap', gjelder: null },
        load,
        (done) => endOf(done, sha256),
      )
    })
    if (!isDryRun) await renewCopies(imported.foretak, { storage, cacheRedisUrl })
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K')
    if (json) printJson(asJson(imported, { isDryRun, first: report.first }))
    else print(...asLines(imported, { isDryRun, first: report.first }))
    isInterrupted = imported.avbrutt
  } catch (error) {
    // What was kept before it failed is to be seen all the same; why it failed is what the operator is told.
    if (hasKept) await renewCopies(null, { storage, cacheRedisUrl }).catch(() => {})
    throw error
  } finally {
    report.end()
    await storage.close()
  }
  if (isInterrupted) {
    const kept = isDryRun ? 'Ingenting er lagret.' : 'Det som er lest, er lagret; kjør igjen for resten.'
    throw new OppslagError('avbrutt', `Avbrutt. ${kept}`)
  }
  report.requireWhole()
}

/** The file, which ends at `signal`, and the digest of its bytes as they lie there, good when all of it has been read. */
function openFile(path: string, signal: AbortSignal): { file: Readable; sha256: () => string } {
  const hash = createHash('sha256')
  async function* digested() {
    const stream = path === '-' ? process.stdin : createReadStream(path, { highWaterMark: 256 * 1024 })
    // Whoever waits for more of standard input sees nothing else that happens.
    const stop = () => stream.destroy()
    signal.addEventListener('abort', stop)
    try {
      for await (const chunk of stream) {
        hash.update(chunk)
        yield chunk
      }
    } catch (error) {
      if (!signal.aborted) throw error
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }
  return { file: Readable.from(digested(), { objectMode: false }), sha256: () => hash.digest('hex') }
}

function endOf({ linjer, innsendinger, avbrutt }: AccountsImport, sha256: () => string): DeedEnding {
  if (avbrutt) return { gjelder: `${linjer.lest} linjer`, utfall: 'avbrutt' }
  const gjelder = `${linjer.lest} linjer, SHA-256 ${sha256().slice(0, 12)}`
  return innsendinger.ny + innsendinger.endret === 0 ? { gjelder, utfall: 'uendret' } : { gjelder }
}

/** What is held of the companies something is new of is looked up anew, with what the archive has now. */
async function renewCopies(
  companies: string[] | null,
  { storage, cacheRedisUrl }: { storage: Storage; cacheRedisUrl: string | null },
): Promise<void> {
  // Loaded when it is needed: with it the command takes twice as long to begin.
  const { orderSharedCache } = await import('#src/wiring/shared-cache.ts')
  for (const company of companies ?? ['']) {
    const order = { company, sections: ['regnskap'], isHard: false }
    // The shared tier first: a process that obeys then finds nothing old there.
    await orderSharedCache(cacheRedisUrl, order)
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

function asLines({ linjer, innsendinger }: AccountsImport, { isDryRun, first }: Around): string[] {
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
    ...(isDryRun ? ['Ingenting er lagret (--prov).'] : []),
  ]
}
