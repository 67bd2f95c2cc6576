/**
 * What a Redis says, as far as it has come, is looked at before it is read: ioredis' own reader makes room for as many items as are
 * promised, wherever they are to come from, and goes back as far as a length says that is none. Some bytes are enough to take all memory
 * there is, and four of them to keep the process for good.
 *
 * @param bytesMax what one answer takes in memory at most
 * @returns looks at what comes next, in pieces of any length; throws where it is no answer of Redis' (RESP3), or a larger one
 */
export function createFrameCheck(bytesMax: number): (said: Buffer) => void {
  /** A line as far as it has come, and what is still to come of the text behind one. */
  let line = ''
  let textBytes = 0
  /** How many items are to come in each list that has begun, the outermost first. */
  const toCome: number[] = []
  let takesBytes = 0

  function take(bytes: number): void {
    takesBytes += bytes
    if (takesBytes > bytesMax) throw new Error('an answer larger than any')
  }

  function endItem(): void {
    for (let last = toCome.length - 1; last >= 0; last--) {
      const left = (toCome[last] ?? 0) - 1
      toCome[last] = left
      if (left > 0) return
      toCome.pop()
    }
    takesBytes = 0
  }

  function begin(head: string): void {
    const [, kind = '', count = ''] = COUNTED.exec(head) ?? []
    if (kind === '') {
      if (!WHOLE.test(head)) throw new Error('no answer of a Redis')
      endItem()
    } else if (TEXTS.includes(kind)) {
      // What the text of a verbatim string is written in stands before it.
      if (kind === '=' && Number(count) < 4) throw new Error('no answer of a Redis')
      take(Number(count))
      textBytes = Number(count) + LINE_END.length
    } else {
      const items = Number(count) * (kind === '%' ? 2 : 1)
      take(items * ITEM_BYTES)
      if (toCome.length === DEPTH_MAX) throw new Error('an answer deeper than any')
      if (items === 0) endItem()
      else toCome.push(items)
    }
  }

  return (said) => {
    for (let at = 0; at < said.length; ) {
      if (textBytes > 0) {
        const passed = Math.min(textBytes, said.length - at)
        at += passed
        textBytes -= passed
        if (textBytes === 0) endItem()
        continue
      }
      const from = at
      while (at < said.length && said[at] !== LF) at++
      const isWhole = at < said.length
      if (isWhole) at++
      take(at - from)
      line += said.toString('latin1', from, at)
      if (!isWhole) return
      begin(line)
      line = ''
    }
  }
}

const LF = 10
const LINE_END = '\r\n'
/** `$5`, `*3`: a text of so many bytes, a list of so many items. */
const COUNTED = /^([$!=*~%>])([0-9]{1,10})\r\n$/
/** What is all there is of it: a word, an error, a number, true or false, nothing. */
const WHOLE = /^(?:[+-][^\r]*|:[+-]?[0-9]{1,20}|,[^\r]{1,40}|\([+-]?[0-9]{1,80}|#[tf]|_|[$*]-1)\r\n$/
const TEXTS = '$!='
/** What an item takes at most besides its text: it is an object of its own. */
const ITEM_BYTES = 128
/** Scripts and streams answer in four. */
const DEPTH_MAX = 16
