import type { Command } from 'commander'
import { systemClock } from '#src/core/clock.ts'
import { listDeliveries } from '#src/storage/shareholders/deliveries.ts'
import { addImportShareholdersCommand, YEAR_FIRST } from './import-aksjonaerer.ts'
import { addImportAccountsCommand } from './import-regnskap.ts'
import { aligned, print, printJson } from './output.ts'
import { withStorage } from './storage.ts'

const DELIVERIES_SHOWN_MAX = 500

/** `import aksjonaerer`, `import regnskap`, `import vis`. */
export function addImportCommands(program: Command): void {
  const group = program
    .command('import')
    .description('Les inn det ingen åpne registre gir fra seg på forespørsel')
    .helpCommand(false)
  addImportShareholdersCommand(group)
  addImportAccountsCommand(group)
  group
    .command('vis')
    .description('Vis hvilke år av aksjonærregisteret som er lest inn, og hvilke som ikke er det')
    .option('--json', 'skriv JSON')
    .action(vis)
}

async function vis({ json }: { json?: true }): Promise<void> {
  const leveranser = await withStorage(({ database }) => listDeliveries(database, DELIVERIES_SHOWN_MAX))
  const current = new Set(leveranser.filter((each) => each.tilstand === 'gjeldende').map(({ aar }) => aar))
  const ikkeImportert = years().filter((aar) => !current.has(aar))
  if (json) return printJson({ leveranser, ikkeImportert })
  print(
    ...aligned([
      [
        'ÅR',
        'TILSTAND',
        'KILDE',
        'UTTREKK',
        'RADER',
        'AVVIST',
        'SELSKAPER',
        'EIERFORHOLD',
        'GJELDER FRA',
        'SHA-256',
      ],
      ...leveranser.map((each) => [
        String(each.aar),
        each.tilstand,
        each.kilde,
        each.uttrekksdato ?? '–',
        counted(each.rader),
        counted(each.avviste),
        counted(each.selskaper),
        counted(each.eierforhold),
        each.gjeldendeFra?.toISOString().slice(0, 10) ?? '–',
        each.sha256?.slice(0, 12) ?? '–',
      ]),
    ]),
    '',
    ikkeImportert.length === 0 ? 'Ingen år mangler.' : `Ikke importert: ${ikkeImportert.join(', ')}`,
  )
}

/** The register of a year is of its last day: this year has none yet. */
function years(): number[] {
  const last = systemClock.now().getFullYear() - 1
  return Array.from({ length: last - YEAR_FIRST + 1 }, (_, index) => last - index)
}

function counted(number: number | null): string {
  return number === null ? '–' : String(number)
}
