import type { Command } from 'commander'
import { type Organisasjonsnummer, parseOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import type { By } from '#src/ops/steering.ts'
import { type CommandGround, withCommandGround } from '#src/wiring/command.ts'
import { asLine, byOf, type ReasonOptions, withReason } from './by.ts'
import { addCopyCommands } from './foretak-kopier.ts'
import { aligned, print, printJson } from './output.ts'

const ORGNR = 'organisasjonsnummeret, ni siffer'

/** `foretak vis`, `foretak oppfrisk`, `foretak foreld`, `foretak glem`, `foretak slett`. */
export function addCompanyCommands(program: Command): void {
  const group = program
    .command('foretak')
    .description('Ett foretak: hva som holdes og hvor gammelt det er; oppfrisk, foreld, glem, slett')
    .helpCommand(false)
  group
    .command('vis')
    .description('Vis det prosessene deler om foretaket, og de siste hendelsene')
    .argument('<orgnr>', ORGNR)
    .option('--json', 'skriv JSON')
    .action(vis)
  withReason(
    group.command('oppfrisk').description('Spør registrene om alt som holdes').argument('<orgnr>', ORGNR),
  ).action(act('Registrene spørres.', ({ steering }, by, orgnr) => steering.refreshCompany(by, orgnr)))
  addCopyCommands(group)
  withReason(
    group
      .command('slett')
      .description('Slett foretaket for godt: det svares som fjernet fra nå av')
      .argument('<orgnr>', ORGNR)
      .requiredOption('--bekreft <orgnr>', 'organisasjonsnummeret en gang til'),
  ).action(
    act('Foretaket er fjernet, og slettes overalt.', ({ steering }, by, orgnr, { bekreft = '' }) =>
      steering.eraseCompany(by, orgnr, bekreft),
    ),
  )
}

async function vis(typed: string, { json }: { json?: true }): Promise<void> {
  const orgnr = parseOrganisasjonsnummer(typed)
  const { seen, spor, isCacheThere } = await withCommandGround(
    process.env,
    async ({ look, steering, isCacheThere }) => ({
      seen: await look(orgnr),
      spor: await steering.trail([orgnr], 20),
      isCacheThere,
    }),
  )
  if (json) return printJson({ ...seen, ...(isCacheThere ? {} : { holdt: null }), spor })
  if (seen.erFjernet) return print(`${orgnr} er fjernet på rettslig grunnlag.`)
  if (!isCacheThere) print('Mellomlagerets Redis svarer ikke: hva som holdes der, er ikke kjent.')
  else if (seen.holdt.length === 0) print('Ingenting holdes i det delte mellomlageret.')
  else
    print(
      ...aligned([
        ['SEKSJON', 'TILSTAND', 'ALDER S', 'HENTET', 'FERSK TIL', 'VISES TIL'],
        ...seen.holdt.map((each) => [
          each.seksjon,
          each.tilstand,
          String(each.alderS),
          each.hentet,
          each.ferskTil,
          each.visesTil,
        ]),
      ]),
    )
  print('', 'Hendelser i feedene som traff noe som var holdt:')
  for (const { lest, seksjoner } of seen.hendelser) print(`  ${lest.toISOString()}  ${seksjoner.join(', ')}`)
  if (seen.hendelser.length === 0) print('  ingen')
  for (const deed of spor) print(asLine(deed))
}

type Options = ReasonOptions & { bekreft?: string }
type Act = (ground: CommandGround, by: By, orgnr: Organisasjonsnummer, options: Options) => Promise<unknown>

function act(told: string, work: Act) {
  return async (typed: string, options: Options): Promise<void> => {
    const orgnr = parseOrganisasjonsnummer(typed)
    await withCommandGround(process.env, (ground) => work(ground, byOf(options), orgnr, options))
    if (options.json) return printJson({ organisasjonsnummer: orgnr, gjort: true })
    print(told)
  }
}
