import { type Command, Option } from 'commander'
import { readEnvironment } from '#config/environment.ts'
import { systemClock } from '#src/core/clock.ts'
import { InputError } from '#src/core/errors.ts'
import { parseOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import { keptSources } from '#src/core/source-names.ts'
import { actOnRecord } from '#src/ops/deeds.ts'
import { type CacheOrder, giveCacheOrder } from '#src/storage/cache-orders.ts'
import { orderSharedCache } from '#src/wiring/shared-cache.ts'
import { byOf, type OptionalReasonOptions, withOptionalReason } from './by.ts'
import { print, printJson } from './output.ts'
import { withStorage } from './storage.ts'

/** `cache purge`. */
export function addCacheCommands(program: Command): void {
  const cache = program.command('cache').description('Mellomlageret: tøm eller foreld').helpCommand(false)

  withOptionalReason(
    cache
      .command('purge')
      .description('Gjør kopier utdatert nå, eller glem dem helt, i alle prosesser')
      .option('--company <orgnr>', 'ett foretak')
      .addOption(new Option('--source <kilde...>', 'bare disse kildene').choices(keptSources))
      .option('--all', 'alle foretak og søk')
      .option('--hard', 'glem kopiene; ellers vises de som utdatert mens kilden spørres'),
  ).action(purge)
}

type Options = OptionalReasonOptions & { company?: string; source?: string[]; all?: true; hard?: true }

async function purge(options: Options): Promise<void> {
  const order = orderOf(options)
  const { cacheRedisUrl } = readEnvironment(process.env)
  const intent = { ...byOf(options), handling: deedOf(order), gjelder: order.company || 'alle foretak' }
  await withStorage(({ database }) =>
    actOnRecord({ db: database, clock: systemClock }, intent, async () => {
      // The shared tier first: a process that obeys then finds nothing old there.
      await orderSharedCache(cacheRedisUrl, order)
      await giveCacheOrder(database, order)
    }),
  )
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

/** Which sources is part of what was done: what it was done to is the company, by which its trail is found. */
function deedOf({ isHard, sections }: CacheOrder): string {
  const deed = isHard ? 'cache.glem' : 'cache.foreld'
  return sections === null ? deed : `${deed}.${sections.join('+')}`
}
