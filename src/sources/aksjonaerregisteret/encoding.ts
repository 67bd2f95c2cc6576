/** How the bytes of a file are text. `windows-1252` is ISO-8859-1 with letters where that has control characters. */
export type FileEncoding = 'utf-8' | 'windows-1252'

/** Bytes as text. Bytes that are no character of the encoding must have been ruled out before. */
export function decode(bytes: Buffer, start: number, end: number, encoding: FileEncoding): string {
  if (encoding === 'utf-8') return bytes.toString('utf8', start, end)
  const text = bytes.toString('latin1', start, end)
  return C1.test(text) ? text.replace(C1_ALL, (sign) => WINDOWS[sign.charCodeAt(0) - 0x80] ?? sign) : text
}

/** The byte order mark a UTF-8 file may begin with, as bytes. */
export const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf])

const C1 = /[\x80-\x9f]/
const C1_ALL = /[\x80-\x9f]/g

/** 0x80 to 0x9f in windows-1252; five of them are no character and stay as they are. */
const WINDOWS = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'
