import { type Command, Option } from 'commander'
import { readEnvironment } from '#config/environment.ts'
import { issueKey } from '#src/access/issue-key.ts'
import type { Miljo } from '#src/core/api-key.ts'
import { systemClock } from '#src/core/clock.ts'
import { parseEmailAddress } from '#src/core/email-address.ts'
import { InputError, OppslagError } from '#src/core/errors.ts'
import type { Database } from '#src/storage/database.ts'
import { type ListedKey, listKeys, revokeKey } from '#src/storage/keys.ts'
import { openStorage } from '#src/storage/open-storage.ts'
import { print, printJson } from './output.ts'

const LIST_MAX = 1000

/** `keys issue`, `keys list`, `keys revoke`. */
export function addKeyCommands(program: Command): void {
  const keys = program.command('keys').description('Nøkler: utsted, list opp, tilbakekall').helpCommand(false)

  keys
    .command('issue')
    .description('Utsted en nøkkel som gjelder i ett år')
    .requiredOption('--email <adresse>', 'hvem nøkkelen er til')
    .addOption(new Option('--miljo <miljø>', 'hva slags nøkkel; ellers som MILJO').choices(['live', 'test']))
    .option('--show', 'vis nøkkelen én gang, i stedet for å sende den på e-post')
    .option('--json', 'skriv JSON')
    .action(issue)

  keys
    .command('list')
    .description('List opp nøkler, nyeste først')
    .option('--limit <antall>', `høyst så mange, 1–${LIST_MAX}`, '100')
    .option('--after <id>', 'fortsett etter denne nøkkelen')
    .option('--json', 'skriv JSON')
    .action(list)

  keys
    .command('revoke')
    .description('Tilbakekall en nøkkel for godt; den avvises innen 60 sekunder')
    .argument('<id>', 'nøkkelens id, de tolv tegnene etter bo_live_ eller bo_test_')
    .option('--json', 'skriv JSON')
    .action(revoke)
}

async function issue(options: { email: string; miljo?: Miljo; show?: true; json?: true }): Promise<void> {
  const epost = parseEmailAddress(options.email)
  if (!options.show) {
    throw new OppslagError(
      'epost_ikke_satt_opp',
      'Utsending av e-post er ikke satt opp, så ingen nøkkel er laget. Bruk --show for å få den vist her.',
    )
  }
  const { miljo: standard } = readEnvironment(process.env)
  const miljo = options.miljo ?? standard
  await withDatabase(async (db) => {
    const { token, id, utloper } = await issueKey({ db, clock: systemClock }, { epost, miljo })
    // At once: from now on the key exists nowhere else.
    if (options.json) return printJson({ nokkel: token, id, epost, miljo, utloper })
    print('Nøkkelen vises bare denne ene gangen:', '', `  ${token}`, '')
    print(
      ...table([
        ['Id', id],
        ['E-post', epost],
        ['Miljø', miljo],
        ['Utløper', time(utloper)],
      ]),
    )
  })
}

async function list(options: { limit: string; after?: string; json?: true }): Promise<void> {
  const limit = Number(options.limit)
  if (!/^[0-9]+$/.test(options.limit) || limit < 1 || limit > LIST_MAX) {
    throw new InputError('ugyldig_antall', 'limit', {
      norsk: `--limit er et helt tall fra 1 til ${LIST_MAX}.`,
      english: `--limit is a whole number from 1 to ${LIST_MAX}.`,
    })
  }
  const { keys, next } = await withDatabase((db) => listKeys(db, { limit, after: options.after ?? null }))
  if (options.json) {
    return printJson({ nokler: keys.map((key) => ({ ...key, tilstand: stateOf(key) })), neste: next })
  }
  if (keys.length === 0) return print('Ingen nøkler.')
  print(
    ...table([
      ['ID', 'MILJØ', 'TILSTAND', 'UTSTEDT', 'UTLØPER', 'E-POST'],
      ...keys.map((key) => [
        key.id,
        key.miljo,
        stateOf(key),
        time(key.utstedt),
        time(key.utloper),
        key.epost,
      ]),
    ]),
  )
  if (next !== null) print('', `Det er flere: --after ${next}`)
}

async function revoke(id: string, options: { json?: true }): Promise<void> {
  const tilbakekalt = await withDatabase((db) => revokeKey(db, id, systemClock.now()))
  // What was typed may be a whole key, so it is not repeated.
  if (tilbakekalt === null)
    throw new OppslagError('ukjent_nokkel', 'Det finnes ingen nøkkel med denne id-en.')
  if (options.json) return printJson({ id, tilbakekalt })
  print(`Nøkkelen ${id} er tilbakekalt fra ${time(tilbakekalt)}. Den avvises overalt innen 60 sekunder.`)
}

async function withDatabase<T>(work: (db: Database) => Promise<T>): Promise<T> {
  const { databaseUrl, dataDir } = readEnvironment(process.env)
  const storage = await openStorage({ databaseUrl, dataDir, applicationName: 'oppslag command', poolMax: 1 })
  try {
    return await work(storage.database)
  } finally {
    await storage.close()
  }
}

function stateOf({ utloper, tilbakekalt }: ListedKey): 'gyldig' | 'utløpt' | 'tilbakekalt' {
  if (tilbakekalt !== null) return 'tilbakekalt'
  return systemClock.now() < utloper ? 'gyldig' : 'utløpt'
}

function time(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

/** Columns as wide as their widest cell. */
function table(rows: readonly string[][]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
