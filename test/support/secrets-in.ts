/**
 * What must never stand in a log, a metric or a problem body, found by its form: keys, Authorization values, e-mail addresses
 * and identity numbers, and whatever is known by value. Gives what was found, each with the kind it is.
 */
export function secretsIn(text: string, known: Readonly<Record<string, readonly string[]>>): string[] {
  const found = [
    ...all(text, /\bbo_(?:live|test)_[0-9A-Za-z]{12}_[0-9A-Za-z]+/g).map((each) => `key: ${each}`),
    ...all(text, /\b(?:bearer|basic)\s+[A-Za-z0-9._~+/-]{8,}/gi).map((each) => `authorization: ${each}`),
    ...all(text, /[^\s"'<>@:;,()[\]{}=]+(?:@|%40)[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}/gi).map(
      (each) => `address: ${each}`,
    ),
    ...all(text, /(?<![\w.-])\d{6} ?\d{5}(?![\w.-])/g)
      .filter((each) => isIdentityNumber(each.replace(' ', '')))
      .map((each) => `identity number: ${each}`),
  ]
  for (const [kind, values] of Object.entries(known)) {
    for (const value of values) if (text.includes(value)) found.push(`${kind}: ${value}`)
  }
  return found
}

/** The names and labels of a metrics page: what is measured is a number of any length. */
export function withoutSamples(metrics: string): string {
  return metrics.replace(/ [+-]?(?:[\d.e+-]+|Inf|NaN)$/gm, '')
}

function all(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([each]) => each)
}

/** Eleven digits with a day, a month and both check digits; numbers of the tax administration's test persons count too. */
function isIdentityNumber(text: string): boolean {
  const digits = [...text].map(Number)
  const day = Number(text.slice(0, 2)) % 40
  const month = Number(text.slice(2, 4)) % 40
  const weighted = (weights: readonly number[]) =>
    weights.reduce((sum, weight, place) => sum + weight * (digits[place] ?? 0), 0) % 11
  return (
    day >= 1 &&
    day <= 31 &&
    month >= 1 &&
    month <= 12 &&
    weighted([3, 7, 6, 1, 8, 9, 4, 5, 2, 1]) === 0 &&
    weighted([5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]) === 0
  )
}
