import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RECORDED, recordedAnswers } from './recorded-answers.ts'
import { type RegisterStandIn, startRegisterStandIn } from './register-stand-in.ts'

const answers = recordedAnswers()

describe.skipIf(answers === null)('the recorded answers (skipped when their folder is absent)', () => {
  let standIn: RegisterStandIn

  beforeAll(async () => {
    standIn = await startRegisterStandIn({ answers: answers ?? { companies: new Map(), klass: NO_KLASS } })
  })
  afterAll(() => standIn.close())

  test('are served with the statuses they were recorded with', async () => {
    const enhet = (orgnr: string) => `/enhetsregisteret/api/enheter/${orgnr}`
    const statuses = {
      [enhet(RECORDED.equinor)]: 200,
      [`${enhet(RECORDED.equinor)}/roller`]: 200,
      [`/fullmakt/enheter/${RECORDED.equinor}/signatur`]: 200,
      [`/fullmakt/enheter/${RECORDED.equinor}/prokura`]: 200,
      [`/regnskapsregisteret/regnskap/${RECORDED.equinor}`]: 200,
      [`/regnskapsregisteret/regnskap/${RECORDED.bank}`]: 500,
      [enhet(RECORDED.bankrupt)]: 200,
      [enhet(RECORDED.removed)]: 410,
      [enhet(RECORDED.deleted[0])]: 200,
      [enhet(RECORDED.subUnit)]: 404,
      [`/enhetsregisteret/api/underenheter/${RECORDED.subUnit}`]: 200,
      [`${enhet(RECORDED.olderRoles)}/roller`]: 200,
      '/api/klass/v1/correspondencetables/2919': 200,
      '/api/klass/v1/classifications/6/codesAt?date=2026-01-01': 200,
      '/api/klass/v1/classifications/6/codesAt?date=2020-01-01': 404,
    }
    for (const [path, status] of Object.entries(statuses)) {
      expect((await fetch(standIn.url + path)).status, path).toBe(status)
    }
  })

  test('mandates and announcements are about the company that is asked for', async () => {
    for (const path of [
      `/fullmakt/enheter/${RECORDED.equinor}/signatur`,
      `/kunngjoring/hent_nr.jsp?orgnr=${RECORDED.equinor}`,
    ]) {
      const text = await (await fetch(standIn.url + path)).text()
      expect(text).toContain(RECORDED.equinor)
      expect(text).not.toContain('999999999')
    }
  })

  test('the five recorded search hits are found by name', async () => {
    const path = '/enhetsregisteret/api/enheter?navn=sundal&navnMetodeForSoek=FORTLOEPENDE'
    const found = (await (await fetch(standIn.url + path)).json()) as { page: { totalElements: number } }
    expect(found.page.totalElements).toBe(2)
  })
})

const NO_KLASS = { correspondence: null, codeLists: [] }
