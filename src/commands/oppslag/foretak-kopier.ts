import { type Command, Option } from 'commander'
import { readEnvironment } from '#config/environment.ts'
import { systemClock } from '#src/core/clock.ts'
import { InputError } from '#src/core/errors.ts'
import { parseOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import { actOnRecord } from '#src/ops/deeds.ts'
import { keptSources } from '#src/sources/index.ts'
import { type CacheOrder, giveCacheOrder } from '#src/storage/cache-orders.ts'
import { orderSharedCache } from '#src/wiring/shared-cache.ts'
import { byOf, type ReasonOptions, withReason } from './by.ts'
import { print, printJson } from './output.ts'
import { withStorage } from './storage.ts'

/** `foretak foreld`, `foretak glem`. */
export function addCopyCommands(foretak: Command): void {
  for (const isHard of [false, true])
    withReason(
      foretak
        .command(isHard ? 'glem' : 'foreld')
        .description(
          isHard
            ? 'Glem kopiene helt, i alle prosesser'
            : 'Vis kopiene som utdatert mens kildene spørres, i alle prosesser',
        )
        .argument('[orgnr]', 'ett foretak')
        .addOption(new Option('--kilde <kilde...>', 'bare disse kildene').choices(keptSources))
        .option('--alle', 'alle foretak og søk'),
    ).action((orgnr: string | undefined, options: Options) =>
      order(readOrder(orgnr, options, isHard), options),
    )
}

type Options = ReasonOptions & { kilde?: string[]; alle?: true }

async function order(order: CacheOrder, options: Options): Promise<void> {
  const { cacheRedisUrl } = readEnvironment(process.env)
  const intent = { ...byOf(options), handling: deedOf(order), gjelder: order.company || 'alle foretak' }
  await withStorage(({ database }) =>
    actOnRecord({ db: database, clock: systemClock }, intent, async () => {
      // The shared tier first: a process that obeys then finds nothing old there.
      await orderSharedCache(cacheRedisUrl, order)
      await giveCacheOrder(database, order)
    }),
  )
  if (options.json) return printJson({ foretak: order.company || 'alle', kilder: order.sections })
  const what = order.company === '' ? 'Alle foretak' : `Foretak ${order.company}`
  const which = order.sections === null ? '' : ` (${order.sections.join(', ')})`
  print(`${what}${which} ${order.isHard ? 'glemmes' : 'er utdatert'} i alle prosesser innen få sekunder.`)
}

function readOrder(orgnr: string | undefined, { kilde, alle }: Options, isHard: boolean): CacheOrder {
  const isUnclear = orgnr === undefined ? kilde === undefined && alle === undefined : alle !== undefined
  if (isUnclear) {
    throw new InputError('mangler_hva', 'orgnr', {
      norsk: 'Si hva: et organisasjonsnummer, --kilde <kilde>, begge, eller --alle.',
      english: 'Say what: an organisation number, --kilde <source>, both, or --alle.',
    })
  }
  return {
    company: orgnr === undefined ? '' : parseOrganisasjonsnummer(orgnr),
    sections: kilde ?? null,
    isHard,
  }
}

/** Which sources is part of what was done: what it was done to is the company, by which its trail is found. */
function deedOf({ isHard, sections }: CacheOrder): string {
  const deed = isHard ? 'foretak.glem' : 'foretak.foreld'
  return sections === null ? deed : `${deed}.${sections.join('+')}`
}
