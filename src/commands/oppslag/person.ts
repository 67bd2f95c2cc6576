import type { Command } from 'commander'
import { readEnvironment } from '#config/environment.ts'
import { systemClock } from '#src/core/clock.ts'
import { InputError, OppslagError } from '#src/core/errors.ts'
import { parseOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import { foldName } from '#src/core/person-name.ts'
import { actOnRecord, type DeedEnding } from '#src/ops/deeds.ts'
import type { Database } from '#src/storage/database.ts'
import {
  FORGET_HOLDERS,
  hidePerson,
  listHiddenPersons,
  type OnHiding,
  showPerson,
} from '#src/storage/shareholders/hidden-persons.ts'
import { type HiddenPerson, noteHiding } from '#src/storage/shareholders/hiding-journal.ts'
import { orderSharedCache } from '#src/wiring/shared-cache.ts'
import { byOf, type ReasonOptions, withReason } from './by.ts'
import { aligned, print, printJson } from './output.ts'
import { withStorage } from './storage.ts'

const SHOWN_MAX = 10_000

/** `person skjul`, `person opphev`, `person liste`. */
export function addPersonCommands(program: Command): void {
  const group = program
    .command('person')
    .description('Personer som ikke vises som aksjonærer: skjul, opphev, list opp')
    .helpCommand(false)
  const about = (command: Command) =>
    withReason(
      command
        .requiredOption('--navn <navn>', 'navnet som i aksjonærregisteret')
        .requiredOption('--fodselsaar <år>', 'fødselsåret')
        .option('--orgnr <orgnr>', 'bare i dette selskapet; ellers overalt'),
    )
  about(
    group
      .command('skjul')
      .description('Skjul en person i alle år, også i dem som leses inn senere; aksjene vises uten navn'),
  ).action(skjul)
  about(group.command('opphev').description('Opphev en skjuling: personen vises igjen')).action(opphev)
  group
    .command('liste')
    .description('List opp skjulte personer, nyeste først')
    .option('--json', 'skriv JSON')
    .action(liste)
}

type Options = ReasonOptions & { navn: string; fodselsaar: string; orgnr?: string }

async function skjul(options: Options): Promise<void> {
  const person = readPerson(options)
  const isNew = await onRecord('person.skjul', person, options, async (database) => {
    const isNew = await hidePerson(database, person, noted('skjul', person))
    await forgetInSharedCache()
    return isNew
  })
  if (options.json) return printJson({ ...person, skjult: true, ny: isNew })
  print(
    isNew
      ? 'Personen er skjult i alle år, i alle prosesser innen få sekunder.'
      : 'Personen var skjult fra før. Ingenting er endret.',
  )
}

async function opphev(options: Options): Promise<void> {
  const person = readPerson(options)
  const wasHidden = await onRecord('person.opphev', person, options, async (database) => {
    const wasHidden = await showPerson(database, person, noted('vis', person))
    // Also when nobody was: the last try may have ended between the two.
    await forgetInSharedCache()
    return wasHidden
  })
  if (!wasHidden) {
    throw new OppslagError('ikke_skjult', 'Ingen er skjult med dette navnet, fødselsåret og selskapet.')
  }
  if (options.json) return printJson({ ...person, skjult: false })
  print('Personen vises igjen, i alle prosesser innen få sekunder.')
}

async function liste({ json }: { json?: true }): Promise<void> {
  const personer = await withStorage(({ database }) => listHiddenPersons(database, SHOWN_MAX))
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

/** Beside the database, so that one that is restored comes to know of it. */
function noted(hva: 'skjul' | 'vis', person: HiddenPerson): OnHiding {
  const { dataDir } = readEnvironment(process.env)
  return (at) => noteHiding(dataDir, hva, person, at)
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

/** The trail is kept for good, and the person wants to be forgotten: it says that somebody was hidden, and where, never who. */
function onRecord(
  handling: 'person.skjul' | 'person.opphev',
  person: HiddenPerson,
  options: Options,
  act: (database: Database) => Promise<boolean>,
): Promise<boolean> {
  const by = byOf(options)
  refuseName(by.hvorfor, person.navn)
  return withStorage(({ database }) =>
    actOnRecord(
      { db: database, clock: systemClock },
      { ...by, handling, gjelder: person.orgnr ?? 'alle selskaper' },
      () => act(database),
      (isChanged): DeedEnding => (isChanged ? {} : { utfall: 'uendret' }),
    ),
  )
}

/** A short name ("Per", "Bo") is a word as well: it is refused only in company of the rest. @throws InputError */
function refuseName(reason: string, name: string): void {
  const said = new Set(foldName(reason).split(NO_LETTERS))
  const parts = name.split(NO_LETTERS).filter((part) => part !== '')
  const isNamed =
    parts.some((part) => part.length >= 4 && said.has(part)) || parts.every((part) => said.has(part))
  if (!isNamed) return
  throw new InputError('ugyldig_hvorfor', 'hvorfor', {
    norsk: 'Begrunnelsen kan ikke inneholde personens navn: den står i sporet for godt.',
    english: 'The reason can not contain the name of the person: it stands in the trail for good.',
  })
}

const NO_LETTERS = /[^\p{L}\p{M}]+/u

/** What the processes share may hold the name as well. Each of them forgets it again for itself when it is told. */
async function forgetInSharedCache(): Promise<void> {
  const { cacheRedisUrl } = readEnvironment(process.env)
  await orderSharedCache(cacheRedisUrl, FORGET_HOLDERS)
}
