import type { Command } from 'commander'
import { readEnvironment } from '#config/environment.ts'
import { InputError, OppslagError } from '#src/core/errors.ts'
import { parseOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import { foldName } from '#src/core/person-name.ts'
import type { Database } from '#src/storage/database.ts'
import { openStorage } from '#src/storage/open-storage.ts'
import {
  FORGET_HOLDERS,
  type HiddenPerson,
  hidePerson,
  listHiddenPersons,
  showPerson,
} from '#src/storage/shareholders/hidden-persons.ts'
import { orderSharedCache } from '#src/wiring/shared-cache.ts'
import { aligned, print, printJson } from './output.ts'

const SHOWN_MAX = 10_000

/** `person skjul`, `person vis`, `person liste`. */
export function addPersonCommands(program: Command): void {
  const group = program
    .command('person')
    .description('Personer som ikke vises som aksjonærer: skjul, vis igjen, list opp')
    .helpCommand(false)
  const about = (command: Command) =>
    command
      .requiredOption('--navn <navn>', 'navnet som i aksjonærregisteret')
      .requiredOption('--fodselsaar <år>', 'fødselsåret')
      .option('--orgnr <orgnr>', 'bare i dette selskapet; ellers overalt')
      .option('--json', 'skriv JSON')
  about(
    group
      .command('skjul')
      .description('Skjul en person i alle år, også i dem som leses inn senere; aksjene vises uten navn'),
  ).action(skjul)
  about(group.command('vis').description('Vis en skjult person igjen')).action(vis)
  group
    .command('liste')
    .description('List opp skjulte personer, nyeste først')
    .option('--json', 'skriv JSON')
    .action(liste)
}

type Options = { navn: string; fodselsaar: string; orgnr?: string; json?: true }

async function skjul(options: Options): Promise<void> {
  const person = readPerson(options)
  const isNew = await withDatabase((db) => hidePerson(db, person))
  await forgetInSharedCache()
  if (options.json) return printJson({ ...person, skjult: true, ny: isNew })
  print(
    isNew
      ? 'Personen er skjult i alle år, i alle prosesser innen få sekunder.'
      : 'Personen var skjult fra før. Ingenting er endret.',
  )
}

async function vis(options: Options): Promise<void> {
  const person = readPerson(options)
  if (!(await withDatabase((db) => showPerson(db, person)))) {
    throw new OppslagError('ikke_skjult', 'Ingen er skjult med dette navnet, fødselsåret og selskapet.')
  }
  await forgetInSharedCache()
  if (options.json) return printJson({ ...person, skjult: false })
  print('Personen vises igjen, i alle prosesser innen få sekunder.')
}

async function liste({ json }: { json?: true }): Promise<void> {
  const personer = await withDatabase((db) => listHiddenPersons(db, SHOWN_MAX))
  if (json) return printJson({ personer })
  if (personer.length === 0) return print('Ingen er skjult.')
  print(
    ...aligned([
      ['NAVN', 'FØDSELSÅR', 'SELSKAP', 'SKJULT'],
      ...personer.map(({ navn, fodselsaar, orgnr, skjultAt }) => [
        navn,
        String(fodselsaar),
        orgnr ?? 'alle',
        skjultAt.toISOString().slice(0, 10),
      ]),
    ]),
  )
}

function readPerson({ navn, fodselsaar, orgnr }: Options): HiddenPerson {
  const folded = foldName(navn)
  const year = /^\d{4}$/.test(fodselsaar) ? Number(fodselsaar) : 0
  if (folded === '' || folded.length > 200) {
    throw new InputError('ugyldig_navn', 'navn', {
      norsk: '--navn er navnet slik det står i aksjonærregisteret.',
      english: '--navn is the name as it stands in the shareholder register.',
    })
  }
  if (year < 1850 || year > 2200) {
    throw new InputError('ugyldig_aar', 'fodselsaar', {
      norsk: '--fodselsaar er et år med fire siffer.',
      english: '--fodselsaar is a year of four digits.',
    })
  }
  return {
    navn: folded,
    fodselsaar: year,
    orgnr: orgnr === undefined ? null : parseOrganisasjonsnummer(orgnr),
  }
}

/** What the processes share may hold the name as well. Each of them forgets it again for itself when it is told. */
async function forgetInSharedCache(): Promise<void> {
  const { cacheRedisUrl } = readEnvironment(process.env)
  if (cacheRedisUrl !== null) await orderSharedCache(cacheRedisUrl, FORGET_HOLDERS)
}

async function withDatabase<T>(work: (db: Database) => Promise<T>): Promise<T> {
  const { databaseUrl, dataDir } = readEnvironment(process.env)
  const storage = await openStorage({ databaseUrl, dataDir, applicationName: 'oppslag command', poolMax: 1 })
  try {
    return await work(storage.database)
  } finally {
    await storage.close()
  }
}
