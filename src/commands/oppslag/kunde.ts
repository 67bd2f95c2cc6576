import type { Command } from 'commander'
import { OppslagError } from '#src/core/errors.ts'
import { kroner } from '#src/core/kroner.ts'
import { actOnRecord } from '#src/ops/deeds.ts'
import { readId } from '#src/ops/steering.ts'
import { findCustomer } from '#src/storage/customers.ts'
import { openReceiptSeries } from '#src/storage/receipts.ts'
import { withCommandGround } from '#src/wiring/command.ts'
import { asLine, byOf, type ReasonOptions, withReason } from './by.ts'
import { addReconcileCommand } from './kunde-avstem.ts'
import { addCustomerAddressCommands } from './kunde-epost.ts'
import { aligned, print, printJson } from './output.ts'
import { withStorage } from './storage.ts'

const ID = 'nøkkel-id (tolv tegn) eller ordrenummer (ti)'

/** `kunde vis`, `kvittering`, `refunder`, `avgjort`, by the id of a key or of an order; `eksporter` and `slett`, by the address; `avstem` and `bilagsrekke`, all. */
export function addCustomerCommands(program: Command, judge: (code: number) => void): void {
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
      .command('kvittering')
      .description('Send kvitteringen en gang til')
      .argument('<ordre>', 'ordrenummeret, ti tegn'),
  ).action(kvittering)
  withReason(
    group
      .command('refunder')
      .description('Gi hele beløpet tilbake gjennom Vipps; nøkkelen avsluttes med det samme')
      .argument('<ordre>', 'ordrenummeret, ti tegn'),
  ).action(refunder)
  withReason(
    group
      .command('avgjort')
      .description('Slukk alarmen til en ordre, når det er avgjort hva det blir til med den')
      .argument('<ordre>', 'ordrenummeret, ti tegn'),
  ).action(avgjort)
  withReason(
    group
      .command('bilagsrekke')
      .description('La bilag og kreditnotaer gå videre i en ny rekke, etter at databasen er satt tilbake'),
  ).action(bilagsrekke)
  addCustomerAddressCommands(group)
  addReconcileCommand(group, judge)
}

async function kvittering(typed: string, options: ReasonOptions): Promise<void> {
  const id = readId(typed)
  const by = byOf(options)
  await withCommandGround(process.env, ({ steering }) => steering.resendReceipt(by, id))
  if (options.json) return printJson({ id, gjort: true })
  print('Kvitteringen sendes en gang til.')
}

async function refunder(typed: string, options: ReasonOptions): Promise<void> {
  const id = readId(typed)
  const by = byOf(options)
  const utfall = await withCommandGround(process.env, ({ steering }) => steering.refundOrder(by, id))
  if (options.json) return printJson({ id, utfall })
  print(REFUNDED[utfall])
}

async function avgjort(typed: string, options: ReasonOptions): Promise<void> {
  const id = readId(typed)
  const by = byOf(options)
  await withCommandGround(process.env, ({ steering }) => steering.decideOrder(by, id))
  if (options.json) return printJson({ id, gjort: true })
  print('Alarmen er slukket.')
}

async function bilagsrekke(options: ReasonOptions): Promise<void> {
  const fra = await withStorage(({ database: db, clock, salesClock }) =>
    actOnRecord(
      { db, clock },
      { ...byOf(options), handling: 'kunde.bilagsrekke', gjelder: null },
      () => openReceiptSeries(db, salesClock.now()),
      (fra) => ({ gjelder: String(fra) }),
    ),
  )
  if (options.json) return printJson({ bilagFra: fra })
  print(`Bilag og kreditnotaer går videre fra nummer ${fra}.`)
}

const REFUNDED = {
  bedt: 'Nøkkelen er avsluttet, og beløpet gis tilbake. Kunden får kreditnota når Vipps har gjort det.',
  underveis: 'Refusjonen er i gang fra før.',
  refundert: 'Ordren er refundert fra før.',
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
  if (order?.trukketOre != null && order.refundertOre !== null)
    print(
      `  trukket ${kroner(order.trukketOre)} av ${kroner(order.belopOre)} ${order.valuta}, gitt tilbake ${kroner(order.refundertOre)}`,
    )
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
