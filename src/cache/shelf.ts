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
  for (const [name, packed] of sectionsOf(shelf)) if (name === section) return packed
  return null
}

/** Every section with its packed entry, as views into the shelf. */
export function* sectionsOf(shelf: Shelf): Generator<[string, Buffer]> {
  let at = 0
  while (at < shelf.length) {
    const nameAt = at + 1
    const lengthAt = nameAt + shelf.readUInt8(at)
    const packedAt = lengthAt + 4
    at = packedAt + shelf.readUInt32BE(lengthAt)
    yield [shelf.toString('latin1', nameAt, lengthAt), shelf.subarray(packedAt, at)]
  }
}
