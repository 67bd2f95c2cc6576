import { type Command, Option } from 'commander'
import { OppslagError } from '#src/core/errors.ts'
import { actOnRecord } from '#src/ops/deeds.ts'
import { makeOperator, type OperatorRole } from '#src/ops/operators.ts'
import { listOperators, revokeOperator } from '#src/storage/operators.ts'
import { withCommandGround } from '#src/wiring/command.ts'
import { byOf, type ReasonOptions, withReason } from './by.ts'
import { aligned, print, printJson } from './output.ts'

const SHOWN_MAX = 1000

/** `operator ny`, `operator liste`, `operator tilbakekall`. */
export function addOperatorCommands(program: Command): void {
  const group = program
    .command('operator')
    .description('Operatører av driftssiden: ny, list opp, tilbakekall')
    .helpCommand(false)
  withReason(
    group
      .command('ny')
      .description('Lag en operatør; tokenet vises bare denne ene gangen')
      .requiredOption('--navn <navn>', 'hvem det er; står i sporet')
      .addOption(
        new Option('--rolle <rolle>', 'lese: bare se. skrive: også endre')
          .choices(['lese', 'skrive'])
          .makeOptionMandatory(),
      ),
  ).action(ny)
  group
    .command('liste')
    .description('List opp operatører, nyeste først')
    .option('--json', 'skriv JSON')
    .action(liste)
  withReason(
    group
      .command('tilbakekall')
      .description('Tilbakekall en operatørs token; øktene avsluttes')
      .argument('<navn>', 'operatørens navn'),
  ).action(tilbakekall)
}

async function ny(options: ReasonOptions & { navn: string; rolle: OperatorRole }): Promise<void> {
  const { operator, token } = await withCommandGround(process.env, ({ database: db, clock }) =>
    actOnRecord(
      { db, clock },
      // The name is written down when it is known to be one: anything can be typed.
      { ...byOf(options), handling: `operator.ny.${options.rolle}`, gjelder: null },
      () => makeOperator({ db, clock }, options),
      (made) => ({ gjelder: made.operator.navn }),
    ),
  )
  if (options.json) return printJson({ ...operator, token })
  print('Tokenet vises bare denne ene gangen:', '', `  ${token}`, '')
  print(`${operator.navn} kan ${operator.rolle === 'skrive' ? 'se og endre' : 'se'} på driftssiden.`)
}

async function liste({ json }: { json?: true }): Promise<void> {
  const operatorer = await withCommandGround(process.env, ({ database }) =>
    listOperators(database, SHOWN_MAX),
  )
  if (json) return printJson({ operatorer })
  if (operatorer.length === 0) return print('Ingen operatører.')
  print(
    ...aligned([
      ['NAVN', 'ROLLE', 'LAGET', 'TILBAKEKALT'],
      ...operatorer.map(({ navn, rolle, laget, tilbakekalt }) => [
        navn,
        rolle,
        laget.toISOString().slice(0, 10),
        tilbakekalt?.toISOString().slice(0, 10) ?? '',
      ]),
    ]),
  )
}

async function tilbakekall(navn: string, options: ReasonOptions): Promise<void> {
  await withCommandGround(process.env, ({ database: db, clock }) =>
    actOnRecord(
      { db, clock },
      { ...byOf(options), handling: 'operator.tilbakekall', gjelder: null },
      async () => {
        if (!(await revokeOperator(db, navn, clock.now())))
          throw new OppslagError('ukjent_operator', 'Det finnes ingen gyldig operatør med dette navnet.')
      },
      () => ({ gjelder: navn }),
    ),
  )
  if (options.json) return printJson({ navn, tilbakekalt: true })
  print('Operatøren er tilbakekalt, og øktene er avsluttet.')
}
