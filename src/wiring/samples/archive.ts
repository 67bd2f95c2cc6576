import { setImmediate as nextTurn } from 'node:timers/promises'
import { loadCompanies } from '#src/imports/shareholders/load-companies.ts'
import type { RecordSources } from '#src/record/parts.ts'
import type { PersonIds } from '#src/record/person-ids.ts'
import { createShareRegister, type ShareRegister } from '#src/record/share-register.ts'
import { hiddenPersons, SHARE_SOURCE, type ShareYear, shareYears } from '#src/samples/shares/share-years.ts'
import { scanRegister } from '#src/sources/aksjonaerregisteret/scan.ts'
import { createHeldBooks, type HeldBook, holdBook } from '#src/storage/shareholders/held-books.ts'
import type { Delivery } from '#src/storage/shareholders/read-deliveries.ts'

/** What a record asks of our own archive, answered from the shareholder years of the samples, which are read as an import reads them. */
export async function openSampleArchive(
  now: Date,
  personIds: () => PersonIds,
): Promise<{ sources: Pick<RecordSources, 'aksjonaerer' | 'eierskap'>; register: ShareRegister }> {
  const deliveries: Delivery[] = []
  const books = new Map<number, HeldBook[]>()
  for (const year of shareYears(now)) {
    const { aar, uttrekksdato } = year
    books.set(aar, await readBooks(year))
    // The newest year comes first.
    deliveries.unshift({ id: aar, aar, isCurrent: true, kilde: SHARE_SOURCE, uttrekksdato, importert: now })
    await nextTurn()
  }
  const leveranser = new Map(deliveries.map(({ id, kilde, uttrekksdato }) => [id, { kilde, uttrekksdato }]))
  const hidden = hiddenPersons(now)
  const register = createShareRegister({
    deliveries: {
      current: () => deliveries,
      leveranseOf: (id) => leveranser.get(id) ?? null,
      reload: async () => {},
    },
    storage: createHeldBooks(
      books,
      hidden.map(({ navn, fodselsaar, orgnr }) => [navn, fodselsaar, orgnr]),
    ),
    isErased: () => false,
    personIds,
  })
  return {
    register,
    sources: {
      async aksjonaerer(orgnr) {
        const answer = await register.aksjonaerer(orgnr)
        return answer.outcome === 'found' ? { ...answer, value: register.showShares(answer.value) } : answer
      },
      async eierskap(orgnr) {
        const answer = await register.eierskap(orgnr)
        return answer.outcome === 'found'
          ? { ...answer, value: register.showOwnership(answer.value) }
          : answer
      },
    },
  }
}

async function readBooks({ file }: ShareYear): Promise<HeldBook[]> {
  const books: HeldBook[] = []
  const blocks = async function* () {
    yield file
  }
  const scan = await scanRegister(blocks())
  await loadCompanies({
    blocks: blocks(),
    scan,
    load: { write: (book) => books.push(holdBook(book)), drained: async () => {} },
    ordered: null,
    isRemoved: () => false,
    onRefused: () => {},
    onRows: () => {},
  })
  return books
}
