import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Clock } from '#src/core/clock.ts'
import { importAccounts } from '#src/imports/import-accounts.ts'
import { importShareholders } from '#src/imports/import-shareholders.ts'
import { actOnRecord } from '#src/ops/deeds.ts'
import { archivedAccounts } from '#src/samples/archived-accounts.ts'
import { sampleNumbers } from '#src/samples/numbers.ts'
import { createSampleRegisters } from '#src/samples/registers.ts'
import { samplesAt } from '#src/samples/samples.ts'
import { hiddenPersons, SHARE_SOURCE, shareYears } from '#src/samples/shares/share-years.ts'
import { createIndustryCodesSource } from '#src/sources/klass/industry-codes.ts'
import { readIndustryCodes, replaceIndustryCodes } from '#src/storage/industry-codes.ts'
import type { Storage } from '#src/storage/open-storage.ts'
import { findCurrentDelivery } from '#src/storage/shareholders/deliveries.ts'
import { hidePerson } from '#src/storage/shareholders/hidden-persons.ts'

type Ground = { storage: Pick<Storage, 'database' | 'url'>; clock: Clock }

/**
 * Brings in what an operator would have: the shareholder years, the older accounts, and who is hidden, by the operators' own
 * acts; and the industry codes, which a worker would load in a moment. What is there already is not brought in again.
 *
 * @returns how many years were imported
 */
export async function fillDemo({ storage, clock }: Ground): Promise<number> {
  const { database: db, url } = storage
  const now = clock.now()
  const act = <T>(handling: string, gjelder: string | null, work: () => Promise<T>) =>
    actOnRecord({ db, clock }, { hvem: 'demo', hvorfor: 'demoens oppdiktede data', handling, gjelder }, work)

  let imported = 0
  for (const { aar, uttrekksdato, file } of shareYears(now)) {
    const sha256 = createHash('sha256').update(file).digest('hex')
    if ((await findCurrentDelivery(db, aar))?.sha256 === sha256) continue
    const register = {
      async *blocks() {
        yield file
      },
      share: () => 1,
      isAsOpened: async () => true,
    }
    await act('import.aksjonaerer', String(aar), () =>
      importShareholders({ url, file: register, aar, kilde: SHARE_SOURCE, uttrekksdato }),
    )
    imported += 1
  }
  if (imported > 0) {
    // The samples have moved to another year: accounts that were kept before are of other years than theirs.
    await db.query('delete from regnskapsarkiv where orgnr = any($1::int[])', [sampleNumbers.map(Number)])
    const accounts = Readable.from([Buffer.from(archivedAccounts(now))], { objectMode: false })
    await act('import.regnskap', null, () => importAccounts(accounts, { database: db, at: now }))
    for (const person of hiddenPersons(now))
      await act('person.skjul', 'alle selskaper', () => hidePerson(db, person))
  }
  if ((await readIndustryCodes(db)) === null) await loadIndustryCodes({ storage, clock })
  return imported
}

async function loadIndustryCodes({ storage, clock }: Ground): Promise<void> {
  const registers = createSampleRegisters(samplesAt(clock.now()), () => clock.now())
  const codes = await createIndustryCodesSource(registers).fetchIndustryCodes({
    signal: AbortSignal.timeout(10_000),
  })
  if (codes.outcome !== 'found') throw new Error(`the industry codes of the samples are ${codes.outcome}`)
  await replaceIndustryCodes(storage.database, { ...codes.value, loadedAt: clock.now() })
}
