/**
 * The texts and numbers of a list in JSON, some at a time: `[…]`, or `{ "organisasjonsnumre": […] }` with whatever simple members
 * beside it. `JSON.parse` reads two megabytes in one go, and makes objects of all there is before anybody can see that it is no
 * list: 80 ms in which nobody else is answered (P148). Each text is still read by it, so that what is JSON is so everywhere.
 *
 * @throws SyntaxError where it is no JSON, or no such list
 */
export function* textsOfJson(json: string, someMax: number): Generator<string[]> {
  let at = 0

  function skipSpace(): void {
    while (isSpace(json.charCodeAt(at))) at += 1
  }

  function takes(sign: string): boolean {
    skipSpace()
    if (json[at] !== sign) return false
    at += 1
    return true
  }

  function must(sign: string): void {
    if (!takes(sign)) throw new SyntaxError(`expected ${sign} at ${at}`)
  }

  function text(): string {
    const from = at
    DIGITS.lastIndex = at
    if (DIGITS.test(json)) {
      at = DIGITS.lastIndex
      return json.slice(from + 1, at - 1)
    }
    let end = from
    do end = json.indexOf('"', end + 1)
    while (end !== -1 && isEscaped(json, end))
    if (end === -1) throw new SyntaxError(`a text without end at ${from}`)
    at = end + 1
    return String(JSON.parse(json.slice(from, at)))
  }

  function textOrNumber(): string {
    skipSpace()
    if (json[at] === '"') return text()
    NUMBER.lastIndex = at
    const [number] = NUMBER.exec(json) ?? []
    if (number === undefined) throw new SyntaxError(`neither text nor number at ${at}`)
    at += number.length
    return String(Number(number))
  }

  function* items(): Generator<string[]> {
    must('[')
    if (takes(']')) return
    let some: string[] = []
    do {
      some.push(textOrNumber())
      if (some.length < someMax) continue
      yield some
      some = []
    } while (takes(','))
    must(']')
    yield some
  }

  function simple(): void {
    skipSpace()
    WORD.lastIndex = at
    const [word] = WORD.exec(json) ?? []
    if (word === undefined) textOrNumber()
    else at += word.length
  }

  if (takes('{')) {
    let isThere = false
    let members = 0
    do {
      members += 1
      if (members > MEMBERS_MAX) throw new SyntaxError('more members than there are beside a list')
      skipSpace()
      const name = json[at] === '"' ? text() : null
      must(':')
      if (name !== 'organisasjonsnumre') simple()
      else if (isThere) throw new SyntaxError('two lists')
      else {
        isThere = true
        yield* items()
      }
    } while (takes(','))
    must('}')
    if (!isThere) throw new SyntaxError('no list')
  } else yield* items()
  skipSpace()
  if (at < json.length) throw new SyntaxError(`more than one value at ${at}`)
}

const MEMBERS_MAX = 100

/** RFC 8259, 2: space, tab, line feed, carriage return. */
function isSpace(letter: number): boolean {
  return letter === 0x20 || letter === 0x09 || letter === 0x0a || letter === 0x0d
}

/** RFC 8259, 6. */
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
/** A text that is what stands there, as nearly all of them are. */
const DIGITS = /"[0-9]*"/y
const WORD = /true|false|null/y

function isEscaped(json: string, at: number): boolean {
  let from = at
  while (json[from - 1] === '\\') from -= 1
  return (at - from) % 2 === 1
}
