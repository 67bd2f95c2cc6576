import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it, vi } from 'vitest'
import { parseOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import { subUnitPage } from '#src/samples/shapes/underenheter.ts'
import { askOf } from '#src/sources/ask.ts'
import { underenheter } from '#src/sources/enhetsregisteret/sub-units.ts'
import type { RegisterClient } from '#src/sources/register-client.ts'
import { inventNumbers } from '#test/support/invented-companies.ts'
import { answering, ORGNR, OTHER, patient } from '../asking.ts'

const RECORDED = new URL(
  '../../../../shared/upstream/enhetsregisteret/underenheter-931744682-empty.json',
  import.meta.url,
)
const ask = (body: object, status = 200) => askOf(underenheter, answering({ body, status }))(ORGNR, patient())
const unit = (organisasjonsnummer: string, more: object = {}) => ({
  organisasjonsnummer,
  navn: 'AVD',
  organisasjonsform: { kode: 'BEDR' },
  overordnetEnhet: ORGNR,
  respons_klasse: 'Underenhet',
  ...more,
})
const page = (units: readonly object[], asked: Record<string, string> = { size: '100' }) =>
  subUnitPage(ORGNR, units as Record<string, unknown>[], asked)

/** A register that has these, and tells what it was asked. */
function registerOf(units: readonly object[], answer = page): { client: RegisterClient; asked: string[] } {
  const asked: string[] = []
  const client: RegisterClient = {
    async get(source, path, call) {
      asked.push(`${call?.query?.overordnetEnhet} ${call?.query?.page ?? 0}`)
      return answering({ body: answer(units, { ...call?.query }) }).get(source, path, call)
    },
    leave: () => {},
    close: async () => {},
  }
  return { client, asked }
}

describe('P101: the sub-units of a company', () => {
  it('of more than one page are all asked for, one page after the other', async () => {
    const numbers = inventNumbers(233)
    const { client, asked } = registerOf(numbers.map((orgnr) => unit(orgnr)))
    const answer = await askOf(underenheter, client)(ORGNR, patient())
    expect(answer).toMatchObject({ outcome: 'found', avvik: [], value: { antall: 233 } })
    const list = answer.outcome === 'found' ? answer.value.underenheter : []
    expect(list.map(({ organisasjonsnummer }) => organisasjonsnummer)).toEqual(numbers)
    expect(asked).toEqual([0, 1, 2].map((number) => `${ORGNR} ${number}`))
  })

  it('of many pages are read page by page, each once: the largest companies have a dozen', async () => {
    const { client, asked } = registerOf(inventNumbers(1150).map((orgnr) => unit(orgnr)))
    const parse = vi.spyOn(JSON, 'parse')
    const answer = await askOf(underenheter, client)(ORGNR, patient())
    const read = parse.mock.calls.length
    parse.mockRestore()
    expect(answer).toMatchObject({ outcome: 'found', value: { antall: 1150 } })
    expect(asked).toHaveLength(12)
    expect(read).toBe(12)
  })

  it('P176: in pages that are megabytes each are refused before all of them are held', async () => {
    const units = inventNumbers(1150).map((orgnr) =>
      unit(orgnr, { naeringskode1: { kode: 'x'.repeat(20_000) } }),
    )
    const { client, asked } = registerOf(units)
    await expect(askOf(underenheter, client)(ORGNR, patient())).rejects.toMatchObject({
      failure: 'ugyldig_svar',
    })
    expect(asked.length).toBeLessThan(6)
  })

  it('that the register counts and does not list are no answer, neither is a page that can not be had', async () => {
    const numbers = inventNumbers(150)
    const all = numbers.map((orgnr) => unit(orgnr))
    const ending = registerOf(all, (units, call = {}) => page(call.page === '1' ? [] : units, call))
    const refusal = { failure: 'ugyldig_svar' }
    await expect(askOf(underenheter, ending.client)(ORGNR, patient())).rejects.toMatchObject(refusal)
    await expect(ask({ page: { totalElements: 3 } })).rejects.toMatchObject(refusal)
    await expect(ask({})).rejects.toMatchObject(refusal)
    const failing = registerOf(all)
    const get: RegisterClient['get'] = async (source, path, call) =>
      call?.query?.page === '1'
        ? answering({ status: 503, body: {} }).get(source, path, call)
        : failing.client.get(source, path, call)
    await expect(askOf(underenheter, { ...failing.client, get })(ORGNR, patient())).rejects.toMatchObject({
      failure: 'feilstatus',
      status: 503,
    })
  })

  it('none are an empty list, and a 404 is no word about the company', async () => {
    expect(await ask(page([]))).toMatchObject({ outcome: 'found', value: { antall: 0, underenheter: [] } })
    await expect(ask({}, 404)).rejects.toMatchObject({ failure: 'feilstatus' })
  })

  it.skipIf(!existsSync(RECORDED))('none, as it was recorded', async () => {
    const client = answering({ body: JSON.parse(readFileSync(RECORDED, 'utf8')) })
    expect(await askOf(underenheter, client)(parseOrganisasjonsnummer('931744682'), patient())).toMatchObject(
      { outcome: 'found', value: { antall: 0 } },
    )
  })

  it('P9: a list of another company, or one of another among them, is refused', async () => {
    const refusal = { failure: 'feil_foretak' }
    await expect(ask(subUnitPage(OTHER, [], { size: '100' }))).rejects.toMatchObject(refusal)
    await expect(ask(page([unit(OTHER, { overordnetEnhet: OTHER })]))).rejects.toMatchObject(refusal)
  })

  it('one that can not be read costs itself and is named; where none can, nothing is known', async () => {
    expect(await ask(page([unit(OTHER), 7 as never]))).toMatchObject({
      outcome: 'found',
      value: { antall: 2, underenheter: [{ organisasjonsnummer: OTHER }] },
      avvik: ['/_embedded/underenheter/1'],
    })
    await expect(ask(page([7 as never]))).rejects.toMatchObject({ failure: 'ugyldig_svar' })
  })

  it('P11: one that was erased is neither listed nor counted', () => {
    const value = {
      antall: 2,
      underenheter: [ORGNR, OTHER].map((organisasjonsnummer) => unit(organisasjonsnummer)),
    }
    expect(underenheter.withoutErased?.(value as never, (orgnr) => orgnr === OTHER)).toMatchObject({
      antall: 1,
      underenheter: [{ organisasjonsnummer: ORGNR }],
    })
  })
})
