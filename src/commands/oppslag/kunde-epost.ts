import { join } from 'node:path'
import type { Command } from 'commander'
import { readEnvironment } from '#config/environment.ts'
import { OppslagError } from '#src/core/errors.ts'
import { mailFilesTo, removeMailFiles } from '#src/mail/mail-folder.ts'
import { actOnRecord } from '#src/ops/deeds.ts'
import { eraseCustomerData, readCustomerData } from '#src/storage/customer-data.ts'
import { byOf, type ReasonOptions, withReason } from './by.ts'
import { print, printJson } from './output.ts'
import { withStorage } from './storage.ts'
import { TYPED_ADDRESS, typedKeptAddress } from './typed-address.ts'

type Options = ReasonOptions & { epost: string }

/** `kunde eksporter`, `kunde slett`: by the address alone. It stands in no trail: what was done to its keys and orders does. */
export function addCustomerAddressCommands(group: Command): void {
  withReason(
    group
      .command('eksporter')
      .description('Skriv alt som er lagret om den som har adressen, som JSON (innsyn)')
      .requiredOption('--epost <adresse>', `e-postadressen; ${TYPED_ADDRESS}`),
  ).action(eksporter)
  withReason(
    group
      .command('slett')
      .description('Slett adressen overalt; bilag og ordrer uten den står så lenge loven krever')
      .requiredOption('--epost <adresse>', `e-postadressen; ${TYPED_ADDRESS}`),
  ).action(slett)
}

async function eksporter(options: Options): Promise<void> {
  const epost = await typedKeptAddress(options.epost)
  const folder = mailFolder()
  const kunde = await withStorage(({ database: db, clock }) =>
    actOnRecord(
      { db, clock },
      { ...byOf(options), handling: 'kunde.eksporter', gjelder: null },
      async () => ({ ...(await readCustomerData(db, epost)), epostfiler: await mailFilesTo(folder, epost) }),
    ),
  )
  printJson({ epost, ...kunde, ikkeMed: NOT_INCLUDED })
}

async function slett(options: Options): Promise<void> {
  const epost = await typedKeptAddress(options.epost)
  const folder = mailFolder()
  const { erased, files } = await withStorage(({ database: db, clock }) =>
    actOnRecord(
      { db, clock },
      { ...byOf(options), handling: 'kunde.slett', gjelder: null },
      async (hvorfor) => {
        const { hvem } = byOf(options)
        const erased = await eraseCustomerData(db, epost, { hvem, hvorfor, at: clock.now() })
        if (erased === null) throw underWay()
        const files = await mailFilesTo(folder, epost)
        await removeMailFiles(folder, files)
        return { erased, files }
      },
      ({ erased, files }) =>
        erased.kjeder.length + erased.rader + files.length === 0 ? { utfall: 'ingenting_lagret' } : {},
    ),
  )
  if (options.json) return printJson({ ...erased, epostfiler: files.length, star: STAYS })
  print(
    `Adressen er slettet fra ${erased.kjeder.length} kjøp og utstedelser, og ${files.length} e-postfiler her.`,
    `Rader adressen selv sto i: ${erased.rader}.`,
    `Nøkler som virker til de utløper, uten påminnelser og uten å kunne erstattes: ${erased.gyldigeNokler}.`,
    `Ubetalte ordrer som slippes, og mister adressen når Vipps har svart: ${erased.ubetalte.length}. Blir en av dem betalt likevel, leveres den: gjenta slettingen da.`,
    `Bilag som står, uten adressen: ${erased.bilag}.`,
    ...STAYS,
  )
}

function underWay(): OppslagError {
  return new OppslagError(
    'under_behandling',
    'En betalt ordre er på vei til adressen. Ingenting er slettet: prøv igjen når den er levert eller kansellert.',
  )
}

function mailFolder(): string {
  return join(readEnvironment(process.env).dataDir, 'mail')
}

/** What the law or the matter itself keeps, and for how long. */
const STAYS = [
  'Bilaget lagres i fem år etter utløpet av året (bokføringsloven § 13), med betalingsreferansen og uten adressen.',
  'Ordren lagres like lenge, uten adressen; betalingen hos Vipps er Vipps’ egen.',
  'Sikkerhetskopier fra før har adressen til de kastes: gjenta slettingen om en av dem leses inn.',
  'Logg og køer har aldri adresser, bare id-er. E-post som er levert, ligger hos mottakeren og leverandøren.',
]

const NOT_INCLUDED = [
  'Avtrykk (hash) av nøkler og lenker: de kan ikke leses tilbake.',
  'Sporet av det operatører har gjort: oppslag kunde vis <id>.',
  'Betalingen hos Vipps, e-post som er levert, og sikkerhetskopier.',
]
