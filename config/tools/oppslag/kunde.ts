import { type Command, Option } from 'commander'
import { OppslagError } from '#src/core/errors.ts'
import { type ReplaceReason, readId } from '#src/ops/steering.ts'
import { findCustomer } from '#src/storage/customers.ts'
import { type CommandGround, withCommandGround } from '#src/wiring/command.ts'
import { asLine, byOf, type ReasonOptions, withReason } from './by.ts'
import { addCustomerAddressCommands } from './kunde-epost.ts'
import { aligned, print, printJson } from './output.ts'

const ID = 'nøkkel-id (tolv tegn) eller ordrenummer (ti)'

/** `kunde vis`, `erstatt`, `tilbakekall`, `kvittering`, by the id of a key or of an order; `eksporter` and `slett`, by the address. */
export function addCustomerCommands(program: Command): void {
  const group = program
    .command('kunde')
    .description('En nøkkel eller ordre, og hvem som har gjort hva med den')
    .helpCommand(false)
  group
    .command('vis')
    .description('Vis nøkler, ordre, ærend og spor')
    .argument('<id>', ID)
    .option('--json', 'skriv JSON')
    .action(vis)
  withReason(
    group
      .command('erstatt')
      .description('Send en ny nøkkel til adressen den gamle gikk til')
      .argument('<id>', ID)
      .addOption(
        new Option('--grunn <grunn>', 'tapt: den gamle gjelder til den nye er brukt. lekket: den stenges nå')
          .choices(['tapt', 'lekket'])
          .default('tapt'),
      ),
  ).action(async (typed: string, options: ReasonOptions & { grunn: ReplaceReason }) => {
    await act(typed, options, 'En ny nøkkel er på vei.', (steering, id) =>
      steering.replaceKey(byOf(options), id, options.grunn),
    )
  })
  withReason(
    group
      .command('tilbakekall')
      .description('Steng nøkkelen og alle i samme kjøp for godt')
      .argument('<id>', ID),
  ).action(async (typed: string, options: ReasonOptions) => {
    await act(typed, options, 'Nøkkelen avvises overalt innen 60 sekunder.', (steering, id) =>
      steering.revokeKey(byOf(options), id),
    )
  })
  withReason(
    group
      .command('kvittering')
      .description('Send kvitteringen en gang til')
      .argument('<ordre>', 'ordrenummeret, ti tegn'),
  ).action(async (typed: string, options: ReasonOptions) => {
    await act(typed, options, 'Kvitteringen sendes en gang til.', (steering, id) =>
      steering.resendReceipt(byOf(options), id),
    )
  })
  addCustomerAddressCommands(group)
}

async function act(
  typed: string,
  { json }: ReasonOptions,
  told: string,
  work: (steering: CommandGround['steering'], id: string) => Promise<unknown>,
): Promise<void> {
  const id = readId(typed)
  await withCommandGround(process.env, ({ steering }) => work(steering, id))
  if (json) return printJson({ id, gjort: true })
  print(told)
}

async function vis(typed: string, { json }: { json?: true }): Promise<void> {
  const id = readId(typed)
  const { kunde, spor } = await withCommandGround(process.env, async ({ database, steering }) => {
    const kunde = await findCustomer(database, id)
    const about = kunde === null ? [] : [kunde.kjede, ...kunde.keys.map((key) => key.id)]
    return { kunde, spor: about.length === 0 ? [] : await steering.trail(about, 50) }
  })
  if (kunde === null)
    throw new OppslagError('ukjent_id', 'Det finnes ingen nøkkel eller ordre med denne id-en.')
  if (json) return printJson({ ...kunde, spor })
  const { keys, order, errands } = kunde
  if (order !== null)
    print(`Ordre ${order.id}: ${order.tilstand}${order.alarm === null ? '' : `, alarm ${order.alarm}`}`)
  print(
    ...aligned([
      ['NØKKEL', 'TILSTAND', 'UTSTEDT', 'UTLØPER', 'TILBAKEKALT'],
      ...keys.map((key) => [
        key.id,
        key.tilstand,
        key.utstedt.toISOString().slice(0, 16),
        key.utloper.toISOString().slice(0, 16),
        key.tilbakekalt?.toISOString().slice(0, 16) ?? '',
      ]),
    ]),
  )
  for (const { slag, laget, utfall } of errands)
    print(`  ${laget.toISOString()}  ${slag}: ${utfall ?? 'under arbeid'}`)
  for (const deed of spor) print(asLine(deed))
}
