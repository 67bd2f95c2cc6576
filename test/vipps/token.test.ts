import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Vipps } from '#src/vipps/client.ts'
import { VippsCredentialsError } from '#src/vipps/errors.ts'
import { createTokens } from '#src/vipps/token.ts'
import { createTestClock } from '#test/support/clock.ts'
import { eventually } from '#test/support/eventually.ts'
import { startVippsStandIn, type VippsStandIn } from '#test/support/vipps-stand-in.ts'
import { failureOf, payment, vippsAt } from './asking.ts'

let standIn: VippsStandIn
let vipps: Vipps
const clock = createTestClock()

beforeEach(async () => {
  standIn = await startVippsStandIn({ clock, tokenLifeSeconds: 3600 })
  vipps = vippsAt(standIn.url, { ...standIn.credentials, clock })
})

afterEach(async () => {
  await vipps.close()
  await standIn.close()
})

describe('the access token', () => {
  test('is fetched once for many callers, with an empty body', async () => {
    await Promise.all(Array.from({ length: 30 }, () => vipps.listWebhooks()))
    await vipps.listWebhooks()
    expect(standIn.calls('token')).toHaveLength(1)
    expect(standIn.calls('token')[0]?.body).toBe('')
    expect(standIn.calls('listWebhooks')).toHaveLength(31)
  })

  test('is renewed when nine tenths of its life are over, and not before', async () => {
    await vipps.listWebhooks()
    clock.advance(3239_000)
    await vipps.listWebhooks()
    expect(standIn.calls('token')).toHaveLength(1)
    clock.advance(1000)
    await vipps.listWebhooks()
    expect(standIn.calls('token')).toHaveLength(2)
  })

  test('that Vipps no longer takes is renewed once, and every call that carried it is made again', async () => {
    await vipps.listWebhooks()
    standIn.revokeTokens()
    const asked = payment()
    await Promise.all([vipps.createPayment(asked), ...Array.from({ length: 20 }, () => vipps.listWebhooks())])
    expect(standIn.calls('token')).toHaveLength(2)
    expect(standIn.payments.all()).toHaveLength(1)
    const keys = standIn.calls('create').map(({ idempotencyKey }) => idempotencyKey)
    expect(new Set(keys)).toEqual(new Set([asked.idempotencyKey]))
  })

  test('that is refused again is not asked for a third time', async () => {
    standIn.misbehave('listWebhooks', { kind: 'status', status: 401 })
    expect(await failureOf(vipps.listWebhooks())).toBeInstanceOf(VippsCredentialsError)
    expect(standIn.calls('listWebhooks')).toHaveLength(2)
    expect(standIn.calls('token')).toHaveLength(2)
  })

  test('is not renewed for a call that is not allowed to us', async () => {
    standIn.misbehave('listWebhooks', { kind: 'status', status: 403 })
    expect(await failureOf(vipps.listWebhooks())).toBeInstanceOf(VippsCredentialsError)
    expect(standIn.calls('token')).toHaveLength(1)
  })

  test('is not given to wrong credentials, and the call is never made', async () => {
    const stranger = vippsAt(standIn.url, { ...standIn.credentials, clientSecret: 'noe-helt-annet' })
    expect(await failureOf(stranger.listWebhooks())).toBeInstanceOf(VippsCredentialsError)
    expect(standIn.calls('listWebhooks')).toEqual([])
    await stranger.close()
  })

  test('that could not be fetched is asked for by the next caller', async () => {
    standIn.misbehave('token', { kind: 'status', status: 500 }, { times: 1 })
    expect(await failureOf(vipps.listWebhooks())).toMatchObject({ code: 'vipps_utilgjengelig', status: 500 })
    expect(await vipps.listWebhooks()).toEqual([])
  })

  test('goes on being fetched when the caller who began it has left', async () => {
    const sent = Promise.withResolvers<void>()
    standIn.misbehave('token', { kind: 'hold', until: sent.promise }, { times: 1 })
    const left = new AbortController()
    const first = failureOf(vipps.listWebhooks({ signal: left.signal }))
    await eventually('a token is asked for', () => standIn.calls('token').length === 1)
    const second = vipps.listWebhooks()
    left.abort()
    expect(await first).toMatchObject({ code: 'vipps_utilgjengelig' })
    sent.resolve()
    expect(await second).toEqual([])
    expect(standIn.calls('token')).toHaveLength(1)
  })

  test('that was renewed is not dropped by a refusal of the one before it', async () => {
    let fetched = 0
    const tokens = createTokens({
      clock,
      fetch: async () => {
        fetched += 1
        return { token: `nummer-${fetched}`, livesForSeconds: 3600 }
      },
    })
    const first = await tokens.current()
    tokens.drop(first)
    expect(await tokens.current()).toBe('nummer-2')
    tokens.drop(first)
    expect(await tokens.current()).toBe('nummer-2')
  })
})
