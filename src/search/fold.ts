/**
 * Texts as they are compared: case, accents, width and the ways to write Norwegian letters apart. Both sides go through here,
 * so `ø`, `ö`, `oe` and `o` are one letter, and so are `å`, `aa` and `a`, and `æ`, `ä` and `ae`. Idempotent, and the
 * beginning of a text folds to the beginning of the folded text: a longer prefix never leaves what it begins.
 */
export function foldLetters(text: string): string {
  const plain = ASCII.test(text) ? text.toLowerCase() : unaccented(text)
  return plain.replace(OE, 'o').replace(AA, 'a')
}

/** Words of letters and numbers, folded. Single letters in a row are one word: `K. J. Eide`, `A.S.L.`, `A/S`. */
export function foldWords(text: string): string[] {
  const words: string[] = []
  let initials = ''
  for (const word of foldLetters(text.replace(APOSTROPHE, '').replace(AND, ' og ')).split(NOT_WORD)) {
    if (word === '') continue
    if (word.length === 1 && LETTER.test(word)) {
      initials += word
      continue
    }
    if (initials !== '') words.push(initials)
    initials = ''
    words.push(word)
  }
  if (initials !== '') words.push(initials)
  // `B AA S` joins to what folds on.
  return words.map(foldLetters)
}

function unaccented(text: string): string {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .replace(OWN_LETTER, asOwnLetter)
      .normalize('NFKD')
      .replace(MARK, '')
      .toLowerCase()
      // What bore a mark besides: Ǣ.
      .replace(OWN_LETTER, asOwnLetter)
  )
}

const asOwnLetter = (letter: string) => OWN_LETTERS[letter] ?? letter

const ASCII = /^[\x20-\x7e]*$/
const OE = /oe+/g
const AA = /aa+/g
const MARK = /[\p{M}\p{Cf}]+/gu
const APOSTROPHE = /['’‘`´]/g
const AND = /[&+＆]/g
const NOT_WORD = /[^\p{L}\p{N}]+/u
const LETTER = /\p{L}/u
/** Letters that no normal form takes apart, and those that Norwegians read as other letters than their base. */
const OWN_LETTERS: Record<string, string> = {
  ø: 'o',
  œ: 'o',
  å: 'a',
  æ: 'ae',
  ä: 'ae',
  ð: 'd',
  đ: 'd',
  ł: 'l',
  ß: 'ss',
  þ: 'th',
  ı: 'i',
}
const OWN_LETTER = /[øœåæäðđłßþı]/g
