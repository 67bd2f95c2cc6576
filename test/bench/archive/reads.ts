import { pino } from 'pino'
import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import { NO_PERSON_IDS } from '#src/record/person-ids.ts'
import type { Database } from '#src/storage/database.ts'
import { createArchive } from '#src/wiring/archive.ts'
import { type Aim, share } from '../row.ts'

const SAMPLE = 2000
const GIANT_TIMES = 200

/** Reads as the record, the ownership route and the list of holders do, one after another, nothing held in memory. */
export async function readRows(database: Database): Promise<Aim[]> {
  const { deliveries, register } = createArchive({
    database,
    isErased: () => false,
    personIds: () => NO_PERSON_IDS,
    onChange: () => {},
    log: pino({ level: 'silent' }),
  })
  await deliveries.start()
  try {
    const newest = deliveries.current()?.[0]?.id ?? 0
    const all = await someCompanies(database, newest, 'true')
    const median = await someCompanies(database, newest, 'innehavere = 1')
    const [giant] = await database.query<{ orgnr: number; innehavere: number }>(
      'select orgnr, innehavere from aksjebok where leveranse = $1 order by innehavere desc limit 1',
      [newest],
    )
    const giantNumber = numberOf(giant?.orgnr ?? 0)

    const sections = async (orgnr: Organisasjonsnummer) => {
      await register.aksjonaerer(orgnr)
      await register.eierskap(orgnr)
    }
    const twoLevels = (orgnr: Organisasjonsnummer) =>
      register.ownership(orgnr, { aar: null, retning: 'begge', dybde: 2 })
    const page = () =>
      register.holders(giantNumber, {
        aar: null,
        from: null,
        after: Math.floor(Math.random() * Math.max(1, (giant?.innehavere ?? 1) - 100)),
        limit: 100,
      })
    const giants = Array.from({ length: GIANT_TIMES }, () => giantNumber)
    return [
      aim('sections of a company with one holder, p99', await times(median, sections), 10),
      aim(`sections of the giant (${giant?.innehavere} holders), p99`, await times(giants, sections), 30),
      aim('eierskap two levels up and down, p99 over companies', await times(all, twoLevels), 50),
      aim('a page of the giant’s holders anywhere, p99', await times(giants, page), 10),
    ]
  } finally {
    await deliveries.close()
  }
}

function aim(what: string, found: number[], limit: number): Aim {
  return {
    what: `${what} (median ${share(found, 0.5).toFixed(1)} ms)`,
    found: share(found, 0.99),
    limit,
    unit: 'ms',
  }
}

/** How long each took, the first few left out: they prepare statements and warm the compiler up. */
async function times(
  orgnrs: readonly Organisasjonsnummer[],
  read: (orgnr: Organisasjonsnummer) => Promise<unknown>,
): Promise<number[]> {
  for (const orgnr of orgnrs.slice(0, 50)) await read(orgnr)
  const taken: number[] = []
  for (const orgnr of orgnrs) {
    const begun = performance.now()
    await read(orgnr)
    taken.push(performance.now() - begun)
  }
  return taken
}

async function someCompanies(
  database: Database,
  delivery: number,
  which: string,
): Promise<Organisasjonsnummer[]> {
  const rows = await database.query<{ orgnr: number }>(
    `select orgnr from aksjebok where leveranse = $1 and ${which} order by hashint4(orgnr) limit $2`,
    [delivery, SAMPLE],
  )
  return rows.map(({ orgnr }) => numberOf(orgnr))
}

function numberOf(orgnr: number): Organisasjonsnummer {
  return String(orgnr).padStart(9, '0') as Organisasjonsnummer
}
