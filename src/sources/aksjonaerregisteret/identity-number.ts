/**
 * Whether a text holds what may be a national identity number: eleven digits in a row, or six and five with one sign
 * between them as people write it. Longer runs of digits may hold one and count as well. The public file has none; a row
 * that does is refused whole.
 */
export function mayHoldIdentityNumber(text: string): boolean {
  return PATTERN.test(text)
}

/** The same text without what may be one. */
export function maskIdentityNumbers(text: string): string {
  return text.replace(new RegExp(PATTERN.source, 'g'), '***********')
}

const PATTERN = /\d{11,}|(?<!\d)\d{6}[\s.\-/]\d{5}(?!\d)/

/**
 * Whether a number of shares is in truth an identity number: eleven digits whose two check digits are right. One in 121 of
 * such amounts is by chance; without the check digits no company could have more than 9,999,999,999 shares.
 */
export function isIdentityNumber(text: string): boolean {
  if (!/^\d{11}$/.test(text)) return false
  const digits = Array.from(text, Number)
  return checks(digits, FIRST_WEIGHTS) && checks(digits, SECOND_WEIGHTS)
}

const FIRST_WEIGHTS = [3, 7, 6, 1, 8, 9, 4, 5, 2, 1]
const SECOND_WEIGHTS = [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]

function checks(digits: readonly number[], weights: readonly number[]): boolean {
  return weights.reduce((sum, weight, index) => sum + weight * (digits[index] ?? 0), 0) % 11 === 0
}
