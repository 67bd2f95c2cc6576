import { type Command, Option } from 'commander'
import { type Environment, readEnvironment } from '#config/environment.ts'
import { policy } from '#config/policy.ts'
import { issueKey } from '#src/access/issue-key.ts'
import type { Miljo } from '#src/core/api-key.ts'
import { systemClock } from '#src/core/clock.ts'
import { parseEmailAddress } from '#src/core/email-address.ts'
import { InputError, OppslagError } from '#src/core/errors.ts'
import { createLog } from '#src/core/log.ts'
import { issueByMail } from '#src/sales/issue-by-mail.ts'
import { replaceAsOperator } from '#src/sales/replace-key.ts'
import type { Database } from '#src/storage/database.ts'
import { type ListedKey, listKeys, revokeKey } from '#src/storage/keys.ts'
import { openStorage } from '#src/storage/open-storage.ts'
import { createOpened } from '#src/wiring/opened.ts'
import { openPost } from '#src/wiring/post.ts'
import { noteDeed } from './by.ts'
import { print, printJson } from './output.ts'

const LIST_MAX = 1000
const ID = 'nøkkelens id, de tolv tegnene etter bo_live_ eller bo_test_'

/** `keys issue`, `keys list`, `keys replace`, `keys revoke`. */
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
    .command('replace')
    .description('Bytt en nøkkel: en ny sendes på e-post dit den gamle gikk, med samme utløp')
    .argument('<id>', ID)
    .addOption(
      new Option('--reason <grunn>', 'lost: den gamle virker til den nye tas i bruk; leaked: den er over nå')
        .choices(['lost', 'leaked'])
        .makeOptionMandatory(),
    )
    .option('--json', 'skriv JSON')
    .action(replace)

  keys
    .command('revoke')
    .description('Tilbakekall en nøkkel for godt; den avvises innen 60 sekunder')
    .argument('<id>', ID)
    .option('--json', 'skriv JSON')
    .action(revoke)
}

async function issue(options: { email: string; miljo?: Miljo; show?: true; json?: true }): Promise<void> {
  const epost = parseEmailAddress(options.email)
  const { miljo: standard } = readEnvironment(process.env)
  const miljo = options.miljo ?? standard
  if (!options.show) return issueAndMail({ epost, miljo, json: options.json })
  await withDatabase(async (db) => {
    const { token, id, utloper } = await issueKey({ db, clock: systemClock }, { epost, miljo })
    await noteDeed(db, 'nokkel.utsted', id)
    // At once: from now on the key exists nowhere else.
    if (options.json) return printJson({ nokkel: token, id, epost, miljo, utloper })
    print('Nøkkelen vises bare denne ene gangen:', '', `  ${token}`, '')
    print(...facts({ id, epost, miljo, utloper }))
  })
}

async function issueAndMail({
  epost,
  miljo,
  json,
}: {
  epost: string
  miljo: Miljo
  json: true | undefined
}): Promise<void> {
  const environment = readEnvironment(process.env)
  const { id, utloper, outcome } = await withPost(environment, ({ post, domain }) =>
    withDatabase((db) =>
      issueByMail(
        { db, clock: systemClock, post, mailDomain: domain, policy: policy.sales },
        { epost, miljo },
      ),
    ),
  )
  const isSent = outcome === 'accepted'
  if (!isSent && outcome !== 'unknown') throw new OppslagError('epost_ikke_sendt', NOT_SENT[outcome])
  if (json) return printJson({ id, epost, miljo, utloper, sendt: isSent ? 'ja' : 'ukjent' })
  const { smtpUrl } = environment.mail
  if (!isSent) print('E-postserveren svarte ikke: nøkkelen er kanskje kommet fram. I så fall virker den.', '')
  else if (smtpUrl === null) print('SMTP_URL er ikke satt: e-posten ligger i mappen mail under DATA_DIR.', '')
  else print('Nøkkelen er sendt på e-post.', '')
  print(...facts({ id, epost, miljo, utloper }))
}

const NOT_SENT = {
  refused_recipient: 'E-postserveren tar ikke imot e-post til denne adressen. Ingen nøkkel gjelder.',
  refused_us: 'E-postserveren avviser oss. Ingen nøkkel gjelder; se på SMTP_URL og MAIL_FROM.',
  temporary: 'E-postserveren tok ikke imot e-posten nå. Ingen nøkkel gjelder; prøv igjen om en stund.',
} as const

async function replace(
  id: string,
  { reason, json }: { reason: 'lost' | 'leaked'; json?: true },
): Promise<void> {
  const grunn = reason === 'lost' ? 'tapt' : 'lekket'
  const replacement = await withDatabase(async (db) => {
    const done = await replaceAsOperator({ db, clock: systemClock, policy: policy.sales }, id, grunn)
    if (done?.utfall === 'sendes') await noteDeed(db, `nokkel.erstatt.${grunn}`, id)
    return done
  })
  if (replacement === null)
    throw new OppslagError('ukjent_nokkel', 'Det finnes ingen nøkkel med denne id-en.')
  if (replacement.utfall !== 'sendes')
    throw new OppslagError(replacement.utfall, NOT_REPLACED[replacement.utfall])
  if (json) return printJson({ id, grunn, utfall: replacement.utfall })
  const old = grunn === 'tapt' ? 'virker til den nye tas i bruk, høyst i 24 timer' : 'er over nå'
  print(`En ny nøkkel sendes på e-post av tjenesten. Nøkkelen ${id} ${old}.`)
}

const NOT_REPLACED = {
  ugyldig_lenke: 'Nøkkelen er utløpt, tilbakekalt eller ikke levert ennå, så den kan ikke byttes.',
  for_mange: 'Nøkkelen er byttet for mange ganger det siste døgnet.',
} as const

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
        key.epost ?? 'slettet',
      ]),
    ]),
  )
  if (next !== null) print('', `Det er flere: --after ${next}`)
}

async function revoke(id: string, options: { json?: true }): Promise<void> {
  const tilbakekalt = await withDatabase(async (db) => {
    const at = await revokeKey(db, id, systemClock.now())
    if (at !== null) await noteDeed(db, 'nokkel.tilbakekall', id)
    return at
  })
  // What was typed may be a whole key, so it is not repeated.
  if (tilbakekalt === null)
    throw new OppslagError('ukjent_nokkel', 'Det finnes ingen nøkkel med denne id-en.')
  if (options.json) return printJson({ id, tilbakekalt })
  print(`Nøkkelen ${id} er tilbakekalt fra ${time(tilbakekalt)}. Den avvises overalt innen 60 sekunder.`)
}

/** A way for mails, closed afterwards. It logs nothing: what became of the mail is told here. */
async function withPost<T>(
  environment: Environment,
  work: (mail: ReturnType<typeof openPost>) => Promise<T>,
): Promise<T> {
  const log = createLog({ level: 'silent', file: null })
  const opened = createOpened(log)
  const { publicUrl, host, port } = environment
  try {
    return await work(
      openPost(environment, { publicUrl: () => publicUrl ?? `http://${host}:${port}`, log, opened }),
    )
  } finally {
    await opened.closeAll()
  }
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

function facts(key: { id: string; epost: string; miljo: Miljo; utloper: Date }): string[] {
  return table([
    ['Id', key.id],
    ['E-post', key.epost],
    ['Miljø', key.miljo],
    ['Utløper', time(key.utloper)],
  ])
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
