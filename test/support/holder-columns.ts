import {
  addHolder,
  addShares,
  createHolderColumns,
  type HolderColumns,
  nameHolder,
} from '#src/storage/shareholders/share-book.ts'

export type HolderFacts = { navn?: string; orgnr?: number; aksjer?: number; klasse?: number }

/** The holders of a book as an import gathers them. */
export function holderColumns(all: readonly HolderFacts[]): HolderColumns {
  const columns = createHolderColumns()
  for (const { navn = '', orgnr = 0, aksjer = 1, klasse = 0 } of all) {
    const place = addHolder(columns, { fodselsaar: 0, orgnr, land: '' })
    const bytes = Buffer.from(navn)
    nameHolder(columns, place, { bytes, from: 0, to: bytes.length })
    addShares(columns, place, klasse, aksjer)
  }
  return columns
}
