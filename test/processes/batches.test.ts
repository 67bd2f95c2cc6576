import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Deployment, startDeployment } from '../support/deployment.ts'
import { eventually } from '../support/eventually.ts'
import { kodeOf, linesIn, placeOf, speaking } from '../support/handed-in-lists.ts'
import { answersWithCopies, inventNumbers } from '../support/invented-companies.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'

/** Two parts and some. */
const numbers = inventNumbers(230)

describe('P109: a long list, of processes that die', () => {
  let register: RegisterStandIn
  let deployment: Deployment

  beforeAll(async () => {
    register = await startRegisterStandIn({ answers: answersWithCopies(numbers) })
    deployment = await startDeployment(register)
  })
  afterAll(async () => {
    await deployment.close()
    await register.close()
  })

  it('loses nothing when a worker is killed in the middle, and asks for nothing twice that was done', async () => {
    const { token, apis } = deployment
    const [a, b] = apis.map((api) => speaking(() => api.address))
    if (a === undefined || b === undefined) throw new Error('there are two fronts')
    register.setFault('roller', { kind: 'delay', ms: 30 })
    const placed = await a.hand(JSON.stringify([...numbers, 'tull', numbers[0]]), {
      token,
      query: '?felt=navn,roller',
    })
    expect([placed.status, placed.headers.get('retry-after')]).toEqual([202, '5'])
    const stateAt = async () => JSON.parse((await b.get(placeOf(placed), { token })).text)
    expect(await stateAt()).toMatchObject({
      linjer: 231,
      dubletter: 1,
      felt: ['navn', 'roller'],
      resultat: null,
    })
    await eventually('some of it is done', async () => (await stateAt()).behandlet >= 100, 30_000)
    await deployment.worker.end('SIGKILL')
    const { behandlet } = await stateAt()
    expect(kodeOf(await b.get(`${placeOf(placed)}/resultat`, { token }))).toEqual([
      409,
      'bestilling_ikke_ferdig',
    ])
    register.clearFaults()
    await deployment.start('worker')
    await eventually('all of it is done', async () => (await stateAt()).fremdrift === 'ferdig', 60_000)
    expect(await stateAt()).toMatchObject({ behandlet: 231, foretak: 230, feil: 1, ufullstendige: 0 })
    // Parts that were done are not gone through again; of the part it died in what was answered is at hand.
    for (const each of numbers.slice(0, behandlet)) expect(register.calls.count('roller', each), each).toBe(1)
    for (const each of numbers) expect(register.calls.count('roller', each), each).toBeLessThanOrEqual(2)

    const { status, headers, text } = await a.get(`${placeOf(placed)}/resultat`, { token })
    expect([status, headers.get('content-type')]).toEqual([200, 'application/x-ndjson; charset=utf-8'])
    const lines = linesIn(text)
    expect(
      lines
        .slice(0, -1)
        .map(({ linje, organisasjonsnummer, oppgitt }) => [linje, organisasjonsnummer ?? oppgitt]),
    ).toEqual([...numbers, 'tull'].map((each, index) => [index + 1, each]))
    expect(lines.at(-1).oppsummering).toMatchObject({ linjer: 231, foretak: 230, feil: 1, dubletter: 1 })
    const alone = JSON.parse((await a.get(`/api/bedrift/${numbers[7]}?felt=navn,roller`, { token })).text)
    expect(lines[7].foretak).toEqual(alone)
    const rest = linesIn((await b.get(`${placeOf(placed)}/resultat?fra=130`, { token })).text)
    expect([rest[0].linje, rest[0].organisasjonsnummer, rest.length]).toEqual([130, numbers[129], 103])
  }, 120_000)
})
