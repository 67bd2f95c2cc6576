import { buildIndex } from '#src/search/build.ts'
import { believeEnhet, believeUnderenhet } from '#src/sources/enhetsregisteret/believe-unit.ts'
import type { BulkFile, BulkSource, BulkUnit } from '#src/sources/enhetsregisteret/bulk.ts'

export type Bulk = { enheter: readonly unknown[]; underenheter: readonly unknown[] }

/** The bulk files as their source hands them on, from units that are at hand. */
export function bulkOf(bulk: Bulk, etag = 'a'): BulkSource {
  return {
    etagOf: async () => etag,
    units: async (file) => ({ etag, batches: batchesOf(file, bulk[file]) }),
  }
}

async function* batchesOf(file: BulkFile, units: readonly unknown[]): AsyncGenerator<BulkUnit[]> {
  const believe = file === 'enheter' ? believeEnhet : believeUnderenhet
  for (let from = 0; from < units.length; from += 100)
    yield units.slice(from, from + 100).map((unit) => believe('totalbestand', unit).value)
}

/** Builds the index of a database from these units. */
export async function buildFrom(
  url: string,
  bulk: Bulk,
  parts: Partial<Parameters<typeof buildIndex>[0]> = {},
) {
  return buildIndex(
    {
      url,
      bulk: bulkOf(bulk),
      now: () => new Date(),
      catchUp: async () => {},
      log: { info() {}, warn() {} },
      signal: new AbortController().signal,
      policy: { batchUnits: 500, filesOlderMs: 86_400_000, unreadableShareMax: 0.01 },
      ...parts,
    },
    { isForced: true },
  )
}
