import { describe, expect, it } from 'vitest'
import { read, written } from './texts.ts'

const PAGE = 'src/promises.md'

type Promised = { number: string; text: string; proofs: { file: string; title: string }[] }

const promises: Promised[] = read(PAGE)
  .split(/^(?=- \*\*P)/m)
  .slice(1)
  .map((text) => ({
    number: /^- \*\*(P[0-9]+)\*\* /.exec(text)?.[1] ?? text,
    text,
    proofs: [...text.matchAll(/^ {2}- \[[^\]]+\]\(\.\.\/([^)]+)\)\s+"([^"]+)"$/gm)].map((match) => ({
      file: match[1] ?? '',
      // A long one may go on in the next line.
      title: (match[2] ?? '').replace(/\s+/g, ' '),
    })),
  }))

/** The first words of a test, of a group of tests or of a row of them; a contract is what several files of tests hold to. */
const titles = written(/^test\/.*(\.test|-contract)\.ts$/).flatMap((file) =>
  [...read(file).matchAll(/[([]\s*(['`])(P[0-9]+(?:, P[0-9]+)*): (.*?)\1/g)].map((match) => ({
    file,
    numbers: (match[2] ?? '').split(', '),
    title: match[3] ?? '',
  })),
)

describe('the promises', () => {
  it('each has a number of its own', () => {
    const numbers = promises.map(({ number }) => number)
    expect(numbers.filter((number) => !/^P[0-9]+$/.test(number))).toEqual([])
    expect(numbers).toEqual([...new Set(numbers)])
  })

  it('each is proven: the tests beneath it are there, and their titles begin with its number', () => {
    const wrong = promises.flatMap(({ number, proofs }) =>
      proofs
        .filter(
          ({ file, title }) =>
            !titles.some(
              (one) => one.file === file && one.numbers.includes(number) && one.title.includes(title),
            ),
        )
        .map(({ file, title }) => `${number}: ${file} has no test "${title}" of it`),
    )
    expect(wrong).toEqual([])
  })

  it('each has such tests, and nothing else, beneath it', () => {
    for (const { number, text, proofs } of promises) {
      expect(proofs.length, number).toBeGreaterThan(0)
      expect(text.match(/^ {2}- /gm), number).toHaveLength(proofs.length)
    }
  })

  it('each number that is cited is a promise', () => {
    const known = new Set(promises.map(({ number }) => number))
    const unknown = written(/\.(ts|mjs|js|sql|md|ya?ml)$|^\.ci\/|^Dockerfile$/).flatMap((file) =>
      citedIn(read(file))
        .filter((number) => !known.has(number))
        .map((number) => `${file}: ${number}`),
    )
    expect(unknown).toEqual([])
  })
})

/** `(P28)`, `P28:`, `P11, P17`. A percentile is written in small letters, or heads a column of milliseconds. */
function citedIn(text: string): string[] {
  return [...text.matchAll(/\bP[1-9][0-9]?\b(?! MS)/g)].map(([number]) => number)
}
