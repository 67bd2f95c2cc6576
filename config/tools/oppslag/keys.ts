import { type Command, Option } from 'commander'
import { policy } from '#config/policy.ts'
import { systemClock } from '#src/core/clock.ts'
import { InputError, OppslagError } from '#src/core/errors.ts'
import { actOnRecord } from '#src/ops/deeds.ts'
import { replaceAsOperator } from '#src/sales/replace-key.ts'
import { type ListedKey, listKeys, revokeKey } from '#src/storage/keys.ts'
import { byOf, type OptionalReasonOptions, withOptionalReason } from './by.ts'
import { addIssueCommand } from './keys-issue.ts'
import { aligned, asTime, print, printJson } from './output.ts'
import { withStorage } from './storage.ts'

const LIST_MAX = 1000
const ID = 'nøkkelens id, de tolv tegnene etter bo_live_ eller bo_test_'

/** `keys issue`, `keys list`, `keys replace`, `keys revoke`. */
export function addKeyCommands(program: Command): void {
  const keys = program
    .command('keys')
    .description('Nøkler: utsted, list opp, bytt, tilbakekall')
    .helpCommand(false)

  addIssueCommand(keys)

  keys
    .command('list')
    .description('List opp nøkler, nyeste først')
    .option('--limit <antall>', `høyst så mange, 1–${LIST_MAX}`, '100')
    .option('--after <id>', 'fortsett etter denne nøkkelen')
    .option('--json', 'skriv JSON')
    .action(list)

  withOptionalReason(
    keys
      .command('replace')
      .description('Bytt en nøkkel: en ny sendes på e-post dit den gamle gikk, med samme utløp')
      .argument('<id>', ID)
      .addOption(
        new Option(
          '--reason <grunn>',
          'lost: den gamle virker til den nye tas i bruk; leaked: den er over nå',
        )
          .choices(['lost', 'leaked'])
          .makeOptionMandatory(),
      ),
  ).action(replace)

  withOptionalReason(
    keys
      .command('revoke')
      .description('Tilbakekall en nøkkel for godt; den avvises innen 60 sekunder')
      .argument('<id>', ID),
  ).action(revoke)
}

async function replace(
  typed: string,
  options: OptionalReasonOptions & { reason: 'lost' | 'leaked' },
): Promise<void> {
  const { reason, json } = options
  const grunn = reason === 'lost' ? 'tapt' : 'lekket'
  const id = keyId(typed)
  await withStorage(({ database: db }) =>
    actOnRecord(
      { db, clock: systemClock },
      { ...byOf(options), handling: `nokkel.erstatt.${grunn}`, gjelder: id },
      async () => {
        const done = await replaceAsOperator({ db, clock: systemClock, policy: policy.sales }, id, grunn)
        if (done === null) throw unknownKey()
        if (done.utfall !== 'sendes') throw new OppslagError(done.utfall, NOT_REPLACED[done.utfall])
      },
    ),
  )
  if (json) return printJson({ id, grunn, utfall: 'sendes' })
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
  const { keys, next } = await withStorage(({ database: db }) =>
    listKeys(db, { limit, after: options.after ?? null }),
  )
  if (options.json) {
    return printJson({ nokler: keys.map((key) => ({ ...key, tilstand: stateOf(key) })), neste: next })
  }
  if (keys.length === 0) return print('Ingen nøkler.')
  print(
    ...aligned([
      ['ID', 'MILJØ', 'TILSTAND', 'UTSTEDT', 'UTLØPER', 'E-POST'],
      ...keys.map((key) => [
        key.id,
        key.miljo,
        stateOf(key),
        asTime(key.utstedt),
        asTime(key.utloper),
        key.epost ?? 'slettet',
      ]),
    ]),
  )
  if (next !== null) print('', `Det er flere: --after ${next}`)
}

async function revoke(typed: string, options: OptionalReasonOptions): Promise<void> {
  const id = keyId(typed)
  const tilbakekalt = await withStorage(({ database: db }) =>
    actOnRecord(
      { db, clock: systemClock },
      { ...byOf(options), handling: 'nokkel.tilbakekall', gjelder: id },
      async () => {
        const at = await revokeKey(db, id, systemClock.now())
        if (at === null) throw unknownKey()
        return at
      },
    ),
  )
  if (options.json) return printJson({ id, tilbakekalt })
  print(`Nøkkelen ${id} er tilbakekalt fra ${asTime(tilbakekalt)}. Den avvises overalt innen 60 sekunder.`)
}

/** What was typed may be a whole key: it is neither looked up, nor written down, nor repeated. @throws OppslagError */
function keyId(typed: string): string {
  if (/^[0-9A-Za-z]{12}$/.test(typed)) return typed
  throw unknownKey()
}

function unknownKey(): OppslagError {
  return new OppslagError('ukjent_nokkel', 'Det finnes ingen nøkkel med denne id-en.')
}

function stateOf({ utloper, tilbakekalt }: ListedKey): 'gyldig' | 'utløpt' | 'tilbakekalt' {
  if (tilbakekalt !== null) return 'tilbakekalt'
  return systemClock.now() < utloper ? 'gyldig' : 'utløpt'
}
