/**
 * All that memory holds of one company in one buffer: per section the length of its name, the name, the length of its
 * packed entry, the entry.
 */
export type Shelf = Buffer

/** The shelf of these packed entries. */
export function createShelf(sections: ReadonlyMap<string, Buffer>): Shelf {
  let length = 0
  for (const [section, packed] of sections) length += 1 + section.length + 4 + packed.length
  const shelf = Buffer.allocUnsafe(length)
  let at = 0
  for (const [section, packed] of sections) {
    at = shelf.writeUInt8(section.length, at)
    at += shelf.write(section, at, 'latin1')
    at = shelf.writeUInt32BE(packed.length, at)
    at += packed.copy(shelf, at)
  }
  return shelf
}

/** One section's packed entry, or null. */
export function findOnShelf(shelf: Shelf, section: string): Buffer | null {
  for (let at = 0; at < shelf.length; ) {
    const { nameAt, nameEnd, packedAt, end } = placeAt(shelf, at)
    // Most are told apart by the length of the name, without making a string of it.
    if (nameEnd - nameAt === section.length && shelf.toString('latin1', nameAt, nameEnd) === section)
      return shelf.subarray(packedAt, end)
    at = end
  }
  return null
}

/** Every section with its packed entry, as views into the shelf. */
export function* sectionsOf(shelf: Shelf): Generator<[string, Buffer]> {
  for (let at = 0; at < shelf.length; ) {
    const { nameAt, nameEnd, packedAt, end } = placeAt(shelf, at)
    yield [shelf.toString('latin1', nameAt, nameEnd), shelf.subarray(packedAt, end)]
    at = end
  }
}

function placeAt(shelf: Shelf, at: number) {
  const nameAt = at + 1
  const nameEnd = nameAt + shelf.readUInt8(at)
  const packedAt = nameEnd + 4
  return { nameAt, nameEnd, packedAt, end: packedAt + shelf.readUInt32BE(nameEnd) }
}
