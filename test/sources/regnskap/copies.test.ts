import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { askOf } from '#src/sources/ask.ts'
import { regnskapskopier } from '#src/sources/regnskap/copies.ts'
import { askSparingly } from '#src/sources/sparingly.ts'
import { answering, ORGNR, patient } from '../asking.ts'

const RECORDED = new URL(
  '../../../../shared/upstream-sections/aarsregnskap-kopi-aar-923609016.json',
  import.meta.url,
)
const ask = (body: object | string, status = 200) =>
  askOf(regnskapskopier, answering({ body, status }))(ORGNR, patient())

describe('P103: the years there are copies of accounts of', () => {
  it.skipIf(!existsSync(RECORDED))('are read as they were recorded, newest first', async () => {
    const answer = await ask(JSON.parse(readFileSync(RECORDED, 'utf8')))
    const aar = Array.from({ length: 15 }, (_, index) => 2025 - index)
    expect(answer).toMatchObject({ outcome: 'found', avvik: [], value: { aar, erAlle: true } })
  })

  it('are none in an empty list; what is no list of years is no answer', async () => {
    expect(await ask([])).toMatchObject({ outcome: 'found', value: { aar: [], erAlle: true } })
    expect(await ask('', 404)).toMatchObject({ outcome: 'absent' })
    for (const body of [{ aar: ['2025'] }, { message: 'for mange kall' }, ['25'], [2025]])
      await expect(ask(body), JSON.stringify(body)).rejects.toMatchObject({ failure: 'ugyldig_svar' })
    await expect(ask({}, 429)).rejects.toMatchObject({ failure: 'feilstatus', status: 429 })
  })

  it('of which one can not be read are not all, and it is named', async () => {
    expect(await ask(['2024', 'i fjor', '2025', '2025'])).toMatchObject({
      value: { aar: [2025, 2024], erAlle: false },
      avvik: ['/1'],
    })
  })

  it('are asked for so many times together and no more, and whoever comes then does not wait', async () => {
    const { sparing } = regnskapskopier
    if (sparing === null) throw new Error('expected a budget of its own')
    const slow = { ...sparing, callsPerSecond: 0.001, enabled: true, inFlightMax: 100 }
    const asking = askSparingly(regnskapskopier, answering({ body: ['2025'] }), slow)
    const answers = await Promise.allSettled(Array.from({ length: 15 }, () => asking(ORGNR, patient())))
    const refused = answers.filter(({ status }) => status === 'rejected')
    expect(answers.length - refused.length).toBe(sparing.savedMax)
    for (const each of refused) expect(each).toMatchObject({ reason: { failure: 'budsjett_brukt' } })
  })
})
