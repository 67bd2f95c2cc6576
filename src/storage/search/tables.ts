/** The tables of an index, and what is built on them once they are filled. `_ny` is the index that is being built. */
export const searchTables = ['sok_foretak', 'sok_navn', 'sok_kontakt', 'sok_ord'] as const
export type SearchTable = (typeof searchTables)[number]

export const nextOf = (table: SearchTable) => `${table}_ny`

/** Of main units' own names: the best that begin with so many letters are the first of an index. */
export const BUCKET_LETTERS = [2, 3, 4, 6, 9] as const

/** A main unit's own name. */
export const OWN = `art = 'navn' and overordnet is null`
/** Of limited companies with some twenty employees, listed ones, public bodies: about one name in twenty. */
export const HEAVY = 'tyngde >= 22'
/** Some hundred employees: one in three hundred. */
export const HEAVIEST = 'tyngde >= 28'

/** While units are read: how many sub-units one has. */
export const INDEX_WHILE_LOADING = (edition: number) =>
  `create index if not exists sok_foretak_overordnet_${edition} on sok_foretak_ny (overordnet) where overordnet is not null`

/** Names end with the edition, so that they do not meet those of the index that is read. */
export function indexesOf(edition: number): string[] {
  return [
    `create unique index sok_foretak_orgnr_${edition} on sok_foretak_ny (orgnr)`,
    `create index sok_navn_nokkel_${edition} on sok_navn_ny (nokkel, rang desc, orgnr)`,
    ...BUCKET_LETTERS.map(
      (letters) =>
        `create index sok_navn_begynner${letters}_${edition} on sok_navn_ny (left(nokkel, ${letters}), rang desc, orgnr) where ${OWN}`,
    ),
    `create index sok_navn_egne_${edition} on sok_navn_ny (nokkel, rang desc, orgnr) where ${OWN}`,
    `create index sok_navn_orgnr_${edition} on sok_navn_ny (orgnr)`,
    `create index sok_navn_ord_${edition} on sok_navn_ny using gin (ord) with (fastupdate = off)`,
    `create index sok_navn_tunge_${edition} on sok_navn_ny using gin (ord) with (fastupdate = off) where ${HEAVY}`,
    `create index sok_navn_tyngst_${edition} on sok_navn_ny using gin (ord) with (fastupdate = off) where ${HEAVIEST}`,
    `create index sok_kontakt_nokkel_${edition} on sok_kontakt_ny (nokkel)`,
    `create index sok_kontakt_orgnr_${edition} on sok_kontakt_ny (orgnr)`,
  ]
}

/** Words are counted when all names are there. */
export function wordsOf(edition: number): string[] {
  return [
    'truncate sok_ord_ny',
    `insert into sok_ord_ny (ord, bakfra, antall, tyngde)
     select ord, reverse(ord), count(*), max(tyngde)
     from (select unnest(ord) as ord, tyngde from sok_navn_ny) as each group by ord order by ord`,
    // Thousands of neighbours are compared: what that takes is in the index.
    `create unique index sok_ord_ord_${edition} on sok_ord_ny (ord) include (antall, tyngde, bokstaver)`,
    `create index sok_ord_bakfra_${edition} on sok_ord_ny (bakfra) include (antall, tyngde, bokstaver)`,
  ]
}
