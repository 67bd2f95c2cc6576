import { nameText } from '#src/core/name-bytes.ts'
import { movedTo } from './typed-columns.ts'

/** One company's share book as it is loaded: holders with shares only, each once. */
export type LoadedShareBook = {
  orgnr: number
  /** '' when the file does not give one. */
  navn: string
  /** As the company reported it; 0 is not known. */
  totalt: number
  /** What the holders have together. */
  sum: number
  /** The names of the classes; '' is a class without a name. Holders count them from 0. */
  klasser: readonly string[]
  innehavere: HolderColumns
}

/**
 * Holders as columns, in the order they were added: an object for each of millions would be most of what reading them costs. '' and
 * 0 are what is not known.
 */
export type HolderColumns = {
  count: number
  /** The places of the holders, the largest first. Good once `putInOrder` has been asked for it. */
  order: Int32Array
  /** Names in UTF-8, each from one place to another. */
  names: Uint8Array
  namesEnd: number
  nameFrom: Int32Array
  nameTo: Int32Array
  fodselsaar: Int32Array
  orgnr: Int32Array
  land: string[]
  /** Over all classes. */
  aksjer: Float64Array
  /** Of its shares in the one class it has. */
  klasse: Int32Array
  /** By place, the shares in each class of those who have several. */
  klasser: Map<number, Map<number, number>>
}

/** One of them, where they are few. */
export type LoadedHolder = {
  navn: string
  fodselsaar: number
  orgnr: number
  land: string
  aksjer: number
  klasse: number
  klasser: Map<number, number> | null
}

export function createHolderColumns(): HolderColumns {
  return {
    count: 0,
    order: new Int32Array(HOLDERS_FIRST),
    names: new Uint8Array(HOLDERS_FIRST * 32),
    namesEnd: 0,
    nameFrom: new Int32Array(HOLDERS_FIRST),
    nameTo: new Int32Array(HOLDERS_FIRST),
    fodselsaar: new Int32Array(HOLDERS_FIRST),
    orgnr: new Int32Array(HOLDERS_FIRST),
    land: [],
    aksjer: new Float64Array(HOLDERS_FIRST),
    klasse: new Int32Array(HOLDERS_FIRST),
    klasser: new Map(),
  }
}

/** As new, with the room it has. */
export function clearHolders(holders: HolderColumns): void {
  holders.count = 0
  holders.namesEnd = 0
  if (holders.klasser.size > 0) holders.klasser.clear()
}

/** @returns its place */
export function addHolder(
  holders: HolderColumns,
  { fodselsaar, orgnr, land }: Pick<LoadedHolder, 'fodselsaar' | 'orgnr' | 'land'>,
): number {
  const place = holders.count++
  if (place === holders.order.length) grow(holders)
  holders.fodselsaar[place] = fodselsaar
  holders.orgnr[place] = orgnr
  holders.land[place] = land
  holders.aksjer[place] = 0
  holders.klasse[place] = 0
  holders.nameFrom[place] = 0
  holders.nameTo[place] = 0
  return place
}

/** Copies the bytes: UTF-8. */
export function nameHolder(
  holders: HolderColumns,
  place: number,
  { bytes, from, to }: { bytes: Uint8Array; from: number; to: number },
): void {
  const start = holders.namesEnd
  const end = start + to - from
  if (end > holders.names.length) {
    const names = new Uint8Array(Math.max(end, holders.names.length * 2))
    names.set(holders.names.subarray(0, start))
    holders.names = names
  }
  const { names } = holders
  for (let at = start, read = from; at < end; at++, read++) names[at] = bytes[read] as number
  holders.namesEnd = end
  holders.nameFrom[place] = start
  holders.nameTo[place] = end
}

export function addShares(holders: HolderColumns, place: number, klasse: number, shares: number): void {
  const before = holders.aksjer[place] as number
  const first = holders.klasse[place] as number
  if (before === 0) holders.klasse[place] = klasse
  else if (first !== klasse || (holders.klasser.size > 0 && holders.klasser.has(place))) {
    const own = holders.klasser.get(place) ?? new Map([[first, before]])
    holders.klasser.set(place, own.set(klasse, (own.get(klasse) ?? 0) + shares))
  }
  holders.aksjer[place] = before + shares
}

/** Puts `order` right: the largest holders first; those with as many stay in the order they were added in. */
export function putInOrder(holders: HolderColumns): void {
  const { count, order, aksjer } = holders
  if (count > INSERTED_MAX) {
    putManyInOrder(holders)
    return
  }
  for (let place = 0; place < count; place++) {
    const shares = aksjer[place] as number
    let rank = place
    for (; rank > 0 && (aksjer[order[rank - 1] as number] as number) < shares; rank--)
      order[rank] = order[rank - 1] as number
    order[rank] = place
  }
}

const INSERTED_MAX = 24

/** Shares and place as one number are put in order without a comparison being called. */
function putManyInOrder({ count, order, aksjer }: HolderColumns): void {
  const places = 2 ** Math.ceil(Math.log2(count))
  const keys = new Float64Array(count)
  let largest = 0
  for (let place = 0; place < count; place++) {
    const shares = aksjer[place] as number
    if (shares > largest) largest = shares
    keys[place] = shares * places + (places - 1 - place)
    order[place] = place
  }
  if (largest >= Number.MAX_SAFE_INTEGER / places) {
    const byShares = (one: number, other: number) =>
      (aksjer[other] as number) - (aksjer[one] as number) || one - other
    order.subarray(0, count).sort(byShares)
    return
  }
  keys.sort()
  for (let rank = 0; rank < count; rank++) {
    const key = keys[count - 1 - rank] as number
    order[rank] = places - 1 - (key - Math.floor(key / places) * places)
  }
}

/** The holders of a book as objects, the largest first. */
export function listHolders({ innehavere }: Pick<LoadedShareBook, 'innehavere'>): LoadedHolder[] {
  putInOrder(innehavere)
  return Array.from(innehavere.order.subarray(0, innehavere.count), (place): LoadedHolder => {
    const [from, to] = [innehavere.nameFrom[place] ?? 0, innehavere.nameTo[place] ?? 0]
    return {
      navn: nameText({ bytes: innehavere.names, from, to }),
      fodselsaar: innehavere.fodselsaar[place] ?? 0,
      orgnr: innehavere.orgnr[place] ?? 0,
      land: innehavere.land[place] ?? '',
      aksjer: innehavere.aksjer[place] ?? 0,
      klasse: innehavere.klasse[place] ?? 0,
      klasser: innehavere.klasser.get(place) ?? null,
    }
  })
}

const HOLDERS_FIRST = 1024

function grow(holders: HolderColumns): void {
  const room = holders.order.length * 2
  holders.order = movedTo(holders.order, new Int32Array(room))
  holders.nameFrom = movedTo(holders.nameFrom, new Int32Array(room))
  holders.nameTo = movedTo(holders.nameTo, new Int32Array(room))
  holders.fodselsaar = movedTo(holders.fodselsaar, new Int32Array(room))
  holders.orgnr = movedTo(holders.orgnr, new Int32Array(room))
  holders.aksjer = movedTo(holders.aksjer, new Float64Array(room))
  holders.klasse = movedTo(holders.klasse, new Int32Array(room))
}
