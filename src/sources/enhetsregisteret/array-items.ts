/**
 * The items of a JSON array of objects, parsed one by one as its bytes come: only where each begins and ends is looked for
 * here, the rest is `JSON.parse`'s. A parser that makes a value of every token took seven minutes of CPU for the register's
 * 3.5 GB (2026-11), this takes one.
 *
 * @param itemBytesMax of one item; what does not end by then is no unit
 * @throws SyntaxError when it is not such an array, or ends too early
 */
export async function* itemsOfArray(
  chunks: AsyncIterable<Buffer>,
  { itemBytesMax }: { itemBytesMax: number },
): AsyncGenerator<unknown[]> {
  let place: 'before' | 'between' | 'behind' = 'before'
  /** Braces and brackets that are open within an item; 0 between items. */
  let depth = 0
  let isText = false
  let isEscaped = false
  /** The first part of an item that goes on in the next chunk. */
  let begun: Buffer[] = []
  let begunBytes = 0

  for await (const chunk of chunks) {
    const items: unknown[] = []
    let from = 0
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] as number
      if (isText) {
        if (isEscaped) isEscaped = false
        else if (byte === BACKSLASH) isEscaped = true
        else if (byte === QUOTE) isText = false
        continue
      }
      if (depth > 0) {
        if (byte === QUOTE) isText = true
        else if (byte === OPEN || byte === OPEN_LIST) depth += 1
        else if (byte === CLOSE || byte === CLOSE_LIST) {
          depth -= 1
          if (depth > 0) continue
          const last = chunk.subarray(from, at + 1)
          items.push(JSON.parse((begun.length === 0 ? last : Buffer.concat([...begun, last])).toString()))
          begun = []
          begunBytes = 0
        }
        continue
      }
      if (byte === SPACE || byte === LINE || byte === RETURN || byte === TAB) continue
      if (place === 'between' && byte === OPEN) {
        depth = 1
        from = at
      } else if (place === 'between' && byte === CLOSE_LIST) place = 'behind'
      else if (place === 'before' && byte === OPEN_LIST) place = 'between'
      else if (place !== 'between' || byte !== COMMA) throw new SyntaxError(`no array of objects: ${byte}`)
    }
    if (depth > 0) {
      const rest = chunk.subarray(from)
      begunBytes += rest.length
      if (begunBytes > itemBytesMax) throw new SyntaxError(`an item of more than ${itemBytesMax} bytes`)
      begun.push(rest)
    }
    if (items.length > 0) yield items
  }
  if (place !== 'behind') throw new SyntaxError('the array does not end')
}

const [QUOTE, BACKSLASH, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = [0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d]
const [COMMA, SPACE, LINE, RETURN, TAB] = [0x2c, 0x20, 0x0a, 0x0d, 0x09]
