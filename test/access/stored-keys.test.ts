import { expect, it } from 'vitest'
import { mintKey } from '#src/core/api-key.ts'
import { sampleAnswers } from '../fixtures/samples/index.ts'
import { onServer } from '../support/database-server.ts'
import { eventually } from '../support/eventually.ts'
import { startRegisterStandIn } from '../support/register-stand-in.ts'
import { issueToken, startTestService } from '../support/service.ts'

it('P23: attack: a PostgreSQL that only follows has not heard of a key yet, which is not refused; who is known there gets in', async () => {
  const register = await startRegisterStandIn({ answers: sampleAnswers() })
  const service = await startTestService(register, { workers: false })
  const beside = new URL(service.storage.url)
  const name = beside.pathname.slice(1)
  beside.pathname = '/postgres'
  const follows = async (how: 'on' | 'off') => {
    await onServer(beside.href, `alter database ${name} set default_transaction_read_only = ${how}`)
    await onServer(
      beside.href,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
    )
  }
  const sold = mintKey('test').token
  const known = await issueToken(service.storage)
  const ask = (token: string) => service.call('GET', '/api/bedrift/status', { token })
  try {
    await follows('on')
    const isAway = async () => (await service.getBare('/health/ready')).body.mangler.length > 0
    await eventually('it is known that nothing can be written there', isAway)
    const [unheardOf, heardOf] = await Promise.all([ask(sold), ask(known)])
    expect([unheardOf.status, unheardOf.headers.has('retry-after')]).toEqual([503, true])
    expect(heardOf.status).toBe(200)
    await follows('off')
    await eventually('there is no such key', async () => (await ask(sold)).status === 401)
  } finally {
    await service.close()
    await register.close()
  }
})
