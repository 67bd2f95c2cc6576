import { Redis } from 'ioredis'
import { expect, onTestFinished, test } from 'vitest'
import { sampleAnswers } from '../fixtures/samples/index.ts'
import { startDeployment } from '../support/deployment.ts'
import { doomed, gone } from '../support/doomed-company.ts'
import { eventually } from '../support/eventually.ts'
import { inventNumbers } from '../support/invented-companies.ts'
import { startRegisterStandIn } from '../support/register-stand-in.ts'
import { wholeRedis } from '../support/whole-contents.ts'

const WORD = 'GEIRFUGLEMSEL'
const [orgnr = ''] = inventNumbers(1)
const path = `/api/bedrift/${orgnr}`

test('P11: attack: a cache’s Redis that begins anew with what it had on disk is rid of who was removed since', async () => {
  const { companies, klass } = sampleAnswers()
  const register = await startRegisterStandIn({ answers: { companies, klass } })
  onTestFinished(() => register.close())
  for (const [name, answer] of Object.entries(doomed(orgnr, WORD)))
    register.set(orgnr, name as 'enhet', answer)
  const service = await startDeployment(register)
  onTestFinished(() => service.close())
  const inCache = () => wholeRedis(service.cacheRedis.url)

  await eventually('it is in Redis, and so is how far erasures have come', async () => {
    await service.getFromAll(path)
    const all = await inCache()
    return all.includes(WORD) && all.includes('bo-note:fjernet')
  })
  await save(service.cacheRedis.url)
  for (const name of Object.keys(doomed(orgnr, WORD))) register.set(orgnr, name as 'enhet', null)
  register.set(orgnr, 'enhet', gone(orgnr))
  register.publish('enheter', { organisasjonsnummer: orgnr, endringstype: 'Fjernet' })
  await eventually('the erasure is done', async () => {
    const [row] = await service.storage.database.query<{ places: string[] }>(
      'select utvisket_fra as places from fjernet where organisasjonsnummer = $1',
      [orgnr],
    )
    return row?.places.includes('mellomlager') === true && !(await inCache()).includes(WORD)
  })

  await service.cacheRedis.stop()
  await service.cacheRedis.start()
  expect(await inCache()).toContain(WORD)
  for (const { status, text } of await service.getFromAll(path)) {
    expect(status).toBe(410)
    expect(text).not.toContain(WORD)
  }
  // The next sweep may just have begun.
  await eventually('nothing of it is left', async () => !(await inCache()).includes(WORD), 90_000)
}, 180_000)

/** To its disk, from where it begins. */
async function save(url: string): Promise<void> {
  const redis = new Redis(url)
  try {
    await redis.save()
  } finally {
    redis.disconnect()
  }
}
