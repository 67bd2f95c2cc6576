import { describe, expect, it } from 'vitest'
import { hos, rollerHosAndre } from '#src/samples/shapes/roller-i-andre-foretak.ts'
import { askOf } from '#src/sources/ask.ts'
import { rollerIAndreForetak } from '#src/sources/enhetsregisteret/legal-roles.ts'
import type { RegisterClient } from '#src/sources/register-client.ts'
import { inventNumbers } from '#test/support/invented-companies.ts'
import { answering, ORGNR, OTHER, patient } from '../asking.ts'

const ask = (body: object | string, status = 200) =>
  askOf(rollerIAndreForetak, answering({ body, status }))(ORGNR, patient())
const THIRD = '333333330'
const auditor = { kode: 'REVI', beskrivelse: 'Revisor' }
const AT = `/enhetsregisteret/api/roller/enheter/${ORGNR}/juridiskeroller`

/** As far as it goes, what is told of the roles in one company, told of those held in others. */
const byGroup = (...roller: object[]) => ({
  rollegrupper: [{ type: auditor, sistEndret: '2020-01-01', roller }],
  _links: { self: { href: `https://data.brreg.no${AT}` } },
})
const within = (organisasjonsnummer: string, more: object = {}) => ({
  type: auditor,
  enhet: { organisasjonsnummer, navn: ['REVIDERT', 'AS'], erSlettet: false },
  avregistrert: false,
  ...more,
})

describe('P102: the roles a company holds in others', () => {
  it('are read company by company, and group by group alike', async () => {
    const expected = [
      {
        organisasjonsnummer: OTHER,
        navn: 'REVIDERT AS',
        roller: [{ type: { kode: 'REVI' }, avregistrert: false }],
      },
      { organisasjonsnummer: THIRD, roller: [{ avregistrert: true }] },
    ]
    const listed = rollerHosAndre(
      ORGNR,
      hos(OTHER, 'REVIDERT AS', 'AS', 'REVI'),
      hos(THIRD, 'EN ANNEN AS', 'AS', { type: auditor, avregistrert: true }),
    )
    for (const body of [listed, byGroup(within(OTHER), within(THIRD, { avregistrert: true }))]) {
      const answer = await ask(body)
      expect(answer).toMatchObject({ outcome: 'found', avvik: [], value: { erAlle: true, avkortet: false } })
      expect(answer).toMatchObject({ value: { foretak: expected } })
    }
  })

  it('of one company stand together, wherever they were listed', async () => {
    expect(
      await ask(byGroup(within(OTHER), within(THIRD), within(OTHER, { type: { kode: 'REGN' } }))),
    ).toMatchObject({
      value: {
        foretak: [{ roller: [{ type: { kode: 'REVI' } }, { type: { kode: 'REGN' } }] }, { roller: [{}] }],
      },
    })
  })

  it('that come in parts are all asked for, as the register’s own link leads, and no further than that', async () => {
    const [first = '', second = '', third = ''] = inventNumbers(3)
    const part = (orgnr: string, next: string | null) => ({
      ...rollerHosAndre(ORGNR, hos(orgnr, 'AS', 'AS', 'REVI')),
      _links: { ...(next !== null && { next: { href: next } }) },
    })
    const asked: string[] = []
    const client = (parts: object[]): RegisterClient => ({
      async get(source, path, call) {
        asked.push(`${path}?${new URLSearchParams(call?.query)}`)
        return answering({ body: parts[asked.length - 1] ?? {} }).get(source, path, call)
      },
      leave: () => {},
      close: async () => {},
    })
    const onwards = `https://data.brreg.no${AT}?page=`
    const whole = client([part(first, `${onwards}1`), part(second, `${onwards}2`), part(third, null)])
    expect(await askOf(rollerIAndreForetak, whole)(ORGNR, patient())).toMatchObject({
      value: {
        erAlle: true,
        foretak: [first, second, third].map((organisasjonsnummer) => ({ organisasjonsnummer })),
      },
    })
    expect(asked).toEqual([`${AT}?`, `${AT}?page=1`, `${AT}?page=2`])
    asked.length = 0
    for (const elsewhere of [
      'https://eksempel.no/x',
      `${onwards}1`.replace(ORGNR, OTHER),
      '../../../..',
      '::',
    ]) {
      asked.length = 0
      const led = await askOf(rollerIAndreForetak, client([part(first, elsewhere)]))(ORGNR, patient())
      expect(led, elsewhere).toMatchObject({ value: { erAlle: false, avkortet: true } })
      expect(asked, elsewhere).toHaveLength(1)
    }
    asked.length = 0
    const endless = client(Array.from({ length: 50 }, () => part(first, `${onwards}1`)))
    expect(await askOf(rollerIAndreForetak, endless)(ORGNR, patient())).toMatchObject({
      value: { avkortet: true },
    })
    expect(asked).toHaveLength(20)
  })

  it('are none where the register has an empty 404 or an empty list; another shape is no answer', async () => {
    expect(await ask('', 404)).toMatchObject({ outcome: 'absent' })
    expect(await ask(rollerHosAndre(ORGNR))).toMatchObject({
      outcome: 'found',
      value: { erAlle: true, foretak: [] },
    })
    for (const body of [{}, [], { enheter: {} }, { roller: [] }, { ...byGroup(), enheter: [] }])
      await expect(ask(body), JSON.stringify(body)).rejects.toMatchObject({ failure: 'ugyldig_svar' })
    await expect(ask({ status: 404 }, 404)).rejects.toMatchObject({ failure: 'feilstatus' })
  })

  it('P9: an answer about another company, or about the roles in this one, is refused', async () => {
    const refusal = { failure: 'feil_foretak' }
    await expect(ask(rollerHosAndre(OTHER))).rejects.toMatchObject(refusal)
    await expect(
      ask({ ...rollerHosAndre(ORGNR), _links: rollerHosAndre(OTHER)._links }),
    ).rejects.toMatchObject(refusal)
    await expect(ask(byGroup(within(ORGNR)))).rejects.toMatchObject(refusal)
  })

  it('that can not be read cost themselves, are named, and are not counted as none', async () => {
    const listed = rollerHosAndre(ORGNR, hos(OTHER, 'AS', 'AS', 'REVI'), 7 as never)
    expect(await ask(listed)).toMatchObject({
      value: { erAlle: false, foretak: [{}] },
      avvik: ['/enheter/1'],
    })
    const nobody = byGroup(within(OTHER), { type: auditor })
    expect(await ask(nobody)).toMatchObject({
      value: { erAlle: false },
      avvik: ['/rollegrupper/0/roller/1/enhet'],
    })
    await expect(ask({ enheter: [7] })).rejects.toMatchObject({ failure: 'ugyldig_svar' })
  })

  it('P11: a company that was erased is not among them', async () => {
    const answer = await ask(byGroup(within(OTHER), within(THIRD)))
    const value = answer.outcome === 'found' ? answer.value : null
    expect(
      value && rollerIAndreForetak.withoutErased?.(value, (orgnr) => orgnr === OTHER).foretak,
    ).toMatchObject([{ organisasjonsnummer: THIRD }])
  })
})
