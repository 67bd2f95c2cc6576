/**
 * Looks at JSON before it is parsed: parsing 4 MB of nested brackets takes 1.5 s of the event loop, and of `{},{},…` 1.1 s, a
 * thousand times as long as a register's real answers. Text that is not JSON may pass; what is JSON is counted right.
 *
 * @returns what is too much, or null
 */
export function tooMuchJson(
  text: Uint8Array,
  { depthMax, valuesMax }: { depthMax: number; valuesMax: number },
): string | null {
  let depth = 0
  let values = 1
  for (let index = 0; index < text.length; index++) {
    switch (text[index]) {
      case QUOTE:
        index = endOfString(text, index)
        break
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        depth += 1
        values += 1
        if (depth > depthMax) return `it is nested deeper than ${depthMax}`
        break
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        depth -= 1
        break
      case COMMA:
        values += 1
    }
    if (values > valuesMax) return `it has more than ${valuesMax} values`
  }
  return null
}

/** @returns where its closing quote is, or the end of the text */
function endOfString(text: Uint8Array, begin: number): number {
  let index = begin + 1
  while (index < text.length && text[index] !== QUOTE) index += text[index] === BACKSLASH ? 2 : 1
  return index
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
