import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PUBLIC_TEST_KEY } from '#src/access/public-test-key.ts'
import { inEnglish } from '#src/record/own-words.ts'
import { reasonsInWords } from '#src/record/provenance.ts'
import { LIVING } from '#src/samples/living.ts'
import { SAMPLE } from '#test/fixtures/samples/index.ts'
import { type SampleService, startSampleService } from '#test/support/sample-service.ts'
import type { TestAnswer } from '../support/service.ts'

const WHOLE = `/api/bedrift/${SAMPLE.sourceAway}`
const ENGLISH = { 'accept-language': 'en-GB, nb;q=0.5' }
const norwegian = reasonsInWords.map(({ nb }) => JSON.stringify(nb))

let service: SampleService

beforeAll(async () => {
  service = await startSampleService({ isLoaded: true, workers: false })
})
afterAll(() => service.close())

const ownIn = ({ text }: Pick<TestAnswer, 'text'>) => norwegian.filter((each) => text.includes(each))

describe('P107: what the service itself says', () => {
  it('is English where that is liked better, and all else the same', async () => {
    for (const path of [WHOLE, `${WHOLE}?felt=navn,kunngjoringer`, `${WHOLE}/kunngjoringer`]) {
      const nb = await service.get(path, { 'accept-language': 'nb, en;q=0.5' })
      const en = await service.get(path, ENGLISH)
      expect([path, nb.status, en.status, ownIn(nb).length > 0, ownIn(en)]).toEqual([
        path,
        200,
        200,
        true,
        [],
      ])
      expect([nb, en].map(({ headers }) => headers.get('content-language'))).toEqual(['nb', 'en'])
      for (const { headers } of [nb, en]) expect(headers.get('vary')).toContain('Accept-Language')
      expect(inEnglish(nb.text)).toBe(en.text)
      expect(wordless(en.body)).toEqual(wordless(nb.body))
    }
  })

  it('is so for the invented companies, in lists and for agents too', async () => {
    const test = { ...ENGLISH, authorization: `Bearer ${PUBLIC_TEST_KEY}` }
    const invented = await service.getBare(WHOLE, test)
    expect(ownIn(invented)).toEqual([])
    expect(invented.body.kilder.enhet.kilde).toMatch(/ \(invented\)$/)
    expect(invented.body.kilder.eierskap.kilde).toMatch(/^Computed from .* \(invented\)$/)
    const problem = await service.getBare(`/api/bedrift/${LIVING.unavailable}`, test)
    expect([problem.status, ownIn(problem), problem.body.arsak.beskrivelse]).toEqual([
      503,
      [],
      'The source answered with an error.',
    ])
    const answer = await fetch(`${service.address}/api/bedrift/oppslag`, {
      method: 'POST',
      headers: { ...test, 'content-type': 'application/json' },
      body: JSON.stringify([SAMPLE.sourceAway, LIVING.unavailable]),
    })
    expect(answer.headers.get('content-language')).toBe('en')
    const list = await answer.text()
    expect([ownIn({ text: list }), list.includes('(oppdiktet)')]).toEqual([[], false])
  })

  it('a copy in one language is never given for one in the other, at hand or packed', async () => {
    const held = `/api/bedrift/${SAMPLE.bankrupt}`
    await service.get(held)
    const forms = ['identity', 'gzip', 'br', 'zstd']
    const seen = { nb: new Set<string>(), en: new Set<string>() }
    const tags = { nb: new Set<string | null>(), en: new Set<string | null>() }
    for (const _ of [1, 2])
      for (const form of forms)
        for (const language of ['nb', 'en'] as const) {
          const asked = { 'accept-language': language, 'accept-encoding': form }
          const { text, headers } = await service.get(held, asked)
          seen[language].add(text)
          tags[language].add(headers.get('etag'))
          expect(headers.get('content-language')).toBe(language)
        }
    const [[nb = '', ...moreNb], [en = '', ...moreEn]] = [[...seen.nb], [...seen.en]]
    expect([moreNb, moreEn, nb === en, inEnglish(nb) === en]).toEqual([[], [], false, true])
    const [[tagNb], [tagEn]] = [[...tags.nb], [...tags.en]]
    expect([tags.nb.size, tags.en.size, tagNb === tagEn]).toEqual([1, 1, false])
    const ask = async (language: string, tag: string | null | undefined) =>
      (await service.get(held, { 'accept-language': language, 'if-none-match': tag ?? '' })).status
    expect([await ask('nb', tagNb), await ask('en', tagEn)]).toEqual([304, 304])
    expect([await ask('nb', tagEn), await ask('en', tagNb)]).toEqual([200, 200])
  })

  it('attack: a register’s text that looks like ours within a string is left as it is', () => {
    const [own = ''] = norwegian
    const text = JSON.stringify({ formaal: `"beskrivelse":${own}`, navn: own, beskrivelse: 'Aksjeselskap' })
    expect(inEnglish(text)).toBe(text)
  })
})

/** Without what is said in words. */
function wordless(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (name, each) => (/^(?:beskrivelse|kilde)$/.test(name) ? null : each)),
  )
}
