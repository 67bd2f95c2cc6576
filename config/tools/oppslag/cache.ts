import { type Command, Option } from 'commander'
import { readEnvironment } from '#config/environment.ts'
import { InputError } from '#src/core/errors.ts'
import { parseOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import { type CacheOrder, giveCacheOrder } from '#src/storage/cache-orders.ts'
import { openStorage } from '#src/storage/open-storage.ts'
import { orderSharedCache } from '#src/wiring/shared-cache.ts'
import { print, printJson } from './output.ts'

const SOURCES = [
  'enhet',
  'underenhet',
  'roller',
  'signatur',
  'prokura',
  'regnskap',
  'kunngjoringer',
  'aksjonaerer',
  'eierskap',
  'sok',
]

/** `cache purge`. */
export function addCacheCommands(program: Command): void {
  const cache = program.command('cache').description('Mellomlageret: tøm eller foreld').helpCommand(false)

  cache
    .command('purge')
    .description('Gjør kopier utdatert nå, eller glem dem helt, i alle prosesser')
    .option('--company <orgnr>', 'ett foretak')
    .addOption(new Option('--source <kilde...>', 'bare disse kildene').choices(SOURCES))
    .option('--all', 'alle foretak og søk')
    .option('--hard', 'glem kopiene; ellers vises de som utdatert mens kilden spørres')
    .option('--json', 'skriv JSON')
    .action(purge)
}

type Options = { company?: string; source?: string[]; all?: true; hard?: true; json?: true }

async function purge(options: Options): Promise<void> {
  const order = orderOf(options)
  const { databaseUrl, dataDir, cacheRedisUrl } = readEnvironment(process.env)
  // The shared tier first: a process that obeys then finds nothing old there.
  if (cacheRedisUrl !== null) await orderSharedCache(cacheRedisUrl, order)
  const storage = await openStorage({ databaseUrl, dataDir, applicationName: 'oppslag command', poolMax: 1 })
  try {
    await giveCacheOrder(storage.database, order)
  } finally {
    await storage.close()
  }
  if (options.json)
    return printJson({ foretak: order.company || 'alle', kilder: order.sections, hard: order.isHard })
  const what = order.company === '' ? 'Alle foretak' : `Foretak ${order.company}`
  const which = order.sections === null ? '' : ` (${order.sections.join(', ')})`
  print(`${what}${which} ${order.isHard ? 'glemmes' : 'er utdatert'} i alle prosesser innen få sekunder.`)
}

function orderOf({ company, source, all, hard }: Options): CacheOrder {
  if (
    (company === undefined && source === undefined && all === undefined) ||
    (company !== undefined && all)
  ) {
    throw new InputError('mangler_hva', 'purge', {
      norsk: 'Si hva: --company <orgnr>, --source <kilde>, begge, eller --all.',
      english: 'Say what: --company <orgnr>, --source <source>, both, or --all.',
    })
  }
  return {
    company: company === undefined ? '' : parseOrganisasjonsnummer(company),
    sections: source ?? null,
    isHard: hard ?? false,
  }
}
