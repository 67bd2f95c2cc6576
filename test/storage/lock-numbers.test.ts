import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../src/', import.meta.url))

/** Files that take a lock PostgreSQL knows by a number alone, and the numbers each has for it. */
const takers = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => ({ name, text: readFileSync(join(root, name), 'utf8') }))
  .filter(({ text }) => /\bpg_(try_)?advisory_\w*lock/.test(text))
  .map(({ name, text }) => ({
    name,
    numbers: [...text.matchAll(/^(?:export )?const \w+ = (7_202_511_210_\d{3}|720_\d{3})$/gm)].map(
      ([, number = '']) => Number(number.replaceAll('_', '')),
    ),
    // BullMQ names those of its own.
    isAnothers: /^import .*\b(LOCK|PRESENCE)\b|hashtext\('bullmq:/m.test(text),
  }))

describe('a lock that is known by its number', () => {
  it('has a number of its own: what one holds keeps nobody else waiting', () => {
    const numbers = takers.flatMap(({ numbers }) => numbers).sort((a, b) => a - b)
    expect(numbers.length).toBeGreaterThan(12)
    expect(numbers.filter((number, at) => numbers[at + 1] === number)).toEqual([])
  })

  it.each(takers)('$name says its number where it takes it, or whose it is', ({ numbers, isAnothers }) => {
    expect(numbers.length > 0 || isAnothers).toBe(true)
  })
})
