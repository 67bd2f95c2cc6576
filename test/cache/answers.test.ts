import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  type Answers,
  createAnswers,
  createEtag,
  createWeakEtag,
  etagOf,
  type WholeAnswer,
} from '#src/cache/answers.ts'

const COMPANY = '901012121'
const text = JSON.stringify({ navn: 'TINDEVÅG SJØMAT AS', tekst: 'ord '.repeat(500) })
let answers: Answers
let trustedSince: number
let now: number

function answer(bytes = Buffer.from(text)): WholeAnswer {
  return {
    bytes,
    etag: createEtag(bytes),
    freshUntil: 5,
    fetchedAtOldest: 1,
    headers: ['content-length', '1'],
  }
}

beforeEach(() => {
  trustedSince = 0
  now = 100
  answers = createAnswers({
    bytesMax: 50_000,
    answerBytesMax: 20_000,
    isTrusted: (time) => time >= trustedSince,
    now: () => now,
  })
})

describe('P146: answers memory has no room for', () => {
  let chance: number
  beforeEach(() => {
    chance = 0.5
    answers = createAnswers({
      bytesMax: 20_000,
      answerBytesMax: 20_000,
      isTrusted: () => true,
      random: () => chance,
    })
    for (let company = 0; answers.admits(`${company}`, text.length); company++)
      answers.put(`${company}`, answer())
  })

  it('are kept one in eight, and those it has stay', () => {
    const { answers: count } = answers.stats()
    expect(count).toBeGreaterThan(3)
    expect(answers.admits(COMPANY, text.length)).toBe(false)
    chance = 0.13
    expect(answers.admits(COMPANY, text.length)).toBe(false)
    chance = 0.12
    expect(answers.admits(COMPANY, text.length)).toBe(true)
    answers.put(COMPANY, answer())
    expect(answers.get(COMPANY)).not.toBeNull()
    // The one that was used longest ago made room.
    expect(answers.stats().answers).toBe(count)
    expect(answers.get('0')).toBeNull()
  })

  it('take the place of what it has of their own company', () => {
    expect(answers.admits('1', text.length)).toBe(true)
  })
})

describe('a part that was cut of an answer', () => {
  const part = (name: string) => answer(Buffer.from(name.repeat(1000)))

  it('is given as long as the answer is that it was cut of, and counted with it', () => {
    const whole = answer()
    answers.put(COMPANY, whole)
    const before = answers.stats().bytes
    const cut = part('a')
    answers.putPart(COMPANY, whole, 'navn', cut)
    expect(answers.part(whole, 'navn')).toBe(cut)
    expect(answers.part(whole, 'roller')).toBeNull()
    expect(answers.part(answer(), 'navn')).toBeNull()
    const { bytes } = answers.stats()
    expect(bytes - before).toBeGreaterThan(1000)
    // Twice is once, and of another answer of the company it is none.
    answers.putPart(COMPANY, whole, 'navn', part('b'))
    answers.putPart(COMPANY, answer(), 'navn', part('c'))
    expect(answers.stats().bytes).toBe(bytes)
    answers.drop({ company: COMPANY })
    expect(answers.stats().bytes).toBe(0)
  })

  it('leaves room for others: whoever asks for one after another has a few kept', () => {
    const whole = answer()
    answers.put(COMPANY, whole)
    for (let index = 0; index < 100; index++) answers.putPart(COMPANY, whole, `felt-${index}`, part('a'))
    expect(answers.stats().bytes).toBeLessThan(20_000)
    expect(answers.part(whole, 'felt-99')).toBeNull()
  })

  it('is counted in every form it is sent in', async () => {
    const whole = answer()
    answers.put(COMPANY, whole)
    const cut = part('a')
    answers.putPart(COMPANY, whole, 'navn', cut)
    const before = answers.stats().bytes
    const packed = await answers.encoded(COMPANY, cut, 'gzip')
    expect(answers.stats().bytes - before).toBe(packed?.length)
  })
})

describe('an assembled answer', () => {
  it('is given as it was put, until its company changes', () => {
    const one = answer()
    answers.put(COMPANY, one)
    expect(answers.get(COMPANY)).toBe(one)
    answers.drop({ company: '901023239' })
    answers.drop({ prefix: 'sok-' })
    expect(answers.get(COMPANY)).toBe(one)
    answers.drop({ company: COMPANY })
    expect(answers.get(COMPANY)).toBeNull()
    answers.put(COMPANY, one)
    answers.drop({ prefix: '' })
    expect(answers.get(COMPANY)).toBeNull()
  })

  it('is not given when changes may have been missed since it was made', () => {
    answers.put(COMPANY, answer())
    trustedSince = 101
    expect(answers.get(COMPANY)).toBeNull()
    now = 102
    answers.put(COMPANY, answer())
    expect(answers.get(COMPANY)).not.toBeNull()
  })

  it.each([
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
    ['zstd', zstdDecompressSync],
  ] as const)('is compressed with %s once, for all who ask', async (encoding, decompress) => {
    const one = answer()
    answers.put(COMPANY, one)
    const before = answers.stats().bytes
    const forms = await Promise.all(
      Array.from({ length: 100 }, () => answers.encoded(COMPANY, one, encoding) as Promise<Buffer>),
    )
    expect(new Set(forms).size).toBe(1)
    expect(answers.encoded(COMPANY, one, encoding)).toBe(forms[0])
    const [form = Buffer.alloc(0)] = forms
    expect(decompress(form).toString()).toBe(text)
    expect(form.length).toBeLessThan(text.length / 4)
    expect(answers.stats().bytes).toBe(before + form.length)
  })

  it('P43: of three hundred companies whose first form is asked for at once, few are compressed at a time', async () => {
    const text = Buffer.alloc(20_000, 'one of many words ')
    const asked = Array.from({ length: 300 }, (_, n) => answers.encoded(String(n), answer(text), 'zstd'))
    const made = asked.filter((form) => form !== null)
    // The others are sent as they are.
    expect(made.length).toBe(18)
    for (const form of await Promise.all(made)) expect(zstdDecompressSync(form)).toEqual(text)
    expect(answers.encoded('late', answer(text), 'zstd')).not.toBeNull()
  })

  it('that was dropped while it was being compressed is still sent, and not kept', async () => {
    const one = answer()
    answers.put(COMPANY, one)
    const sending = answers.encoded(COMPANY, one, 'br') as Promise<Buffer>
    answers.drop({ company: COMPANY })
    expect(brotliDecompressSync(await sending).toString()).toBe(text)
    expect(answers.get(COMPANY)).toBeNull()
    expect(answers.stats()).toEqual({ answers: 0, bytes: 0 })
  })

  it('is one of as many as fit in their bytes, compressed forms counted', async () => {
    for (let n = 0; n < 100; n++) {
      const one = answer()
      answers.put(String(900_000_000 + n), one)
      await answers.encoded(String(900_000_000 + n), one, 'gzip')
      expect(answers.stats().bytes).toBeLessThanOrEqual(50_000)
    }
    expect(answers.stats().answers).toBeLessThan(17)
    expect(answers.stats().answers).toBeGreaterThan(10)
  })

  it('that is too large is not kept', () => {
    answers.put(COMPANY, answer(Buffer.alloc(20_001)))
    expect(answers.get(COMPANY)).toBeNull()
  })
})

describe('an entity tag', () => {
  it('is strong, of the content, and another one for each compressed form (RFC 9110, 8.8)', () => {
    const etag = createEtag('a')
    expect(etag).toMatch(/^"[A-Za-z0-9_-]{22}"$/)
    expect(createEtag(Buffer.from('a'))).toBe(etag)
    expect(createEtag('b')).not.toBe(etag)
    expect(etagOf(etag, null)).toBe(etag)
    expect(etagOf('"abc"', 'br')).toBe('"abc-br"')
    expect(createWeakEtag('a')).toBe(`W/${etag}`)
    expect(etagOf('W/"abc"', 'br')).toBe('W/"abc"')
  })
})
