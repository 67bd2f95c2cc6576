import { type Command, Option } from 'commander'
import { policy } from '#config/policy.ts'
import { InputError, OppslagError } from '#src/core/errors.ts'
import { actOnRecord } from '#src/ops/deeds.ts'
import { type ReplaceReason, readId } from '#src/ops/steering.ts'
import { replaceAsOperator } from '#src/sales/replace-key.ts'
import { revokeAsOperator } from '#src/sales/revoke-key.ts'
import { type ListedKey, listKeys } from '#src/storage/keys.ts'
import { byOf, type ReasonOptions, withReason } from './by.ts'
import { addIssueCommand } from './nokkel-utsted.ts'
import { aligned, asTime, print, printJson } from './output.ts'
import { withStorage } from './storage.ts'

const LIST_MAX = 1000
const ID = 'nøkkelens id, de tolv tegnene etter bo_live_ eller bo_test_'
const ID_OR_ORDER = `${ID}, eller ordrenummeret`

/** `nokkel utsted`, `liste`, `erstatt`, `tilbakekall`. */
export function addKeyCommands(program: Command): void {
  const keys = program
    .command('nokkel')
    .description('Nøkler: utsted, list opp, erstatt, tilbakekall')
    .helpCommand(false)

  addIssueCommand(keys)

  keys
    .command('liste')
    .description('List opp nøkler, nyeste først')
    .option('--antall <antall>', `høyst så mange, 1–${LIST_MAX}`, '100')
    .option('--etter <id>', 'fortsett etter denne nøkkelen')
    .option('--json', 'skriv JSON')
    .action(liste)

  withReason(
    keys
      .command('erstatt')
      .description('Erstatt en nøkkel: en ny sendes på e-post dit den gamle gikk, med samme utløp')
      .argument('<id>', ID)
      .addOption(
        new Option('--grunn <grunn>', 'tapt: den gamle virker til den nye tas i bruk. lekket: den er over nå')
          .choices(['tapt', 'lekket'])
          .makeOptionMandatory(),
      ),
  ).action(erstatt)

  withReason(
    keys
      .command('tilbakekall')
      .description(
        'Tilbakekall en nøkkel, og alle i samme kjøp, for godt; en som er laget ved siden av, tilbakekalles alene. Avvises innen 60 sekunder',
      )
      .argument('<id>', ID_OR_ORDER),
  ).action(tilbakekall)
}

async function erstatt(typed: string, options: ReasonOptions & { grunn: ReplaceReason }): Promise<void> {
  const { grunn, json } = options
  const id = readId(typed)
  await withStorage(({ database: db, clock }) =>
    actOnRecord(
      { db, clock },
      { ...byOf(options), handling: `nokkel.erstatt.${grunn}`, gjelder: id },
      async () => {
        const done = await replaceAsOperator({ db, clock, policy: policy.sales }, id, grunn)
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
  ugyldig_lenke:
    'Nøkkelen er utløpt, tilbakekalt, ikke levert ennå eller laget ved siden av en annen, så den kan ikke erstattes.',
  for_mange: 'Nøkkelen er erstattet for mange ganger det siste døgnet.',
} as const

async function liste(options: { antall: string; etter?: string; json?: true }): Promise<void> {
  const limit = Number(options.antall)
  if (!/^[0-9]+$/.test(options.antall) || limit < 1 || limit > LIST_MAX) {
    throw new InputError('ugyldig_antall', 'antall', {
      norsk: `--antall er et helt tall fra 1 til ${LIST_MAX}.`,
      english: `--antall is a whole number from 1 to ${LIST_MAX}.`,
    })
  }
  const { keys, next, at } = await withStorage(async ({ database: db, clock }) => ({
    ...(await listKeys(db, { limit, after: options.etter ?? null })),
    at: clock.now(),
  }))
  if (options.json) {
    return printJson({ nokler: keys.map((key) => ({ ...key, tilstand: stateOf(key, at) })), neste: next })
  }
  if (keys.length === 0) return print('Ingen nøkler.')
  print(
    ...aligned([
      ['ID', 'MILJØ', 'TILSTAND', 'UTSTEDT', 'UTLØPER', 'E-POST'],
      ...keys.map((key) => [
        key.id,
        key.miljo,
        stateOf(key, at),
        asTime(key.utstedt),
        asTime(key.utloper),
        key.epost ?? (key.tilhorer === null ? 'slettet' : `laget ved siden av ${key.tilhorer}`),
      ]),
    ]),
  )
  if (next !== null) print('', `Det er flere: --etter ${next}`)
}

async function tilbakekall(typed: string, options: ReasonOptions): Promise<void> {
  const id = readId(typed)
  const tilbakekaltAt = await withStorage(({ database: db, clock }) =>
    actOnRecord(
      { db, clock },
      { ...byOf(options), handling: 'nokkel.tilbakekall', gjelder: id },
      async () => {
        const at = await revokeAsOperator({ db, clock, policy: policy.sales }, id)
        if (at === null) throw unknownKey()
        return at
      },
    ),
  )
  if (options.json) return printJson({ id, tilbakekalt: tilbakekaltAt })
  print(`Nøkkelen ${id} er tilbakekalt fra ${asTime(tilbakekaltAt)}. Den avvises overalt innen 60 sekunder.`)
}

function unknownKey(): OppslagError {
  return new OppslagError('ukjent_nokkel', 'Det finnes ingen nøkkel med denne id-en.')
}

function stateOf(key: ListedKey, at: Date): 'gyldig' | 'utløpt' | 'tilbakekalt' {
  if (key.tilbakekalt !== null) return 'tilbakekalt'
  return at < key.utloper ? 'gyldig' : 'utløpt'
}
