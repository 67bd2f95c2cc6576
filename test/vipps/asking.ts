import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { expect } from 'vitest'
import { systemClock } from '#src/core/clock.ts'
import { createVipps, type NewPayment, type Vipps, type VippsOptions } from '#src/vipps/client.ts'
import { VippsError } from '#src/vipps/errors.ts'

export const CREDENTIALS = {
  clientId: 'klient-0001',
  clientSecret: 'hemmelig-0001-a1b2c3',
  subscriptionKey: 'abonnement-0001-d4e5f6',
  merchantSerialNumber: '654321',
}

export function vippsAt(baseUrl: string, options: Partial<VippsOptions> = {}): Vipps {
  return createVipps({
    baseUrl,
    ...CREDENTIALS,
    systemName: 'bedriftsoppslag',
    systemVersion: '0.1.0',
    clock: systemClock,
    deadlineMs: 10_000,
    ...options,
  })
}

let payments = 0

/** A payment nobody has made yet. */
export function payment(change: Partial<NewPayment> = {}): NewPayment {
  payments += 1
  return {
    reference: `bo-ordre-${payments}-1`,
    amountOre: 49_900,
    currency: 'NOK',
    description: 'API-nøkkel, ett år',
    returnUrl: 'http://127.0.0.1/ordre/uten-navn',
    idempotencyKey: `opprett-${payments}`,
    ...change,
  }
}

export async function failureOf(asked: Promise<unknown>): Promise<VippsError> {
  const error = await asked.then(
    () => null,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(VippsError)
  return error as VippsError
}

/** All there is to be seen of an error, by whoever logs it: message, stack, fields, causes and what they hold. */
export function allOf(error: unknown): string {
  return inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true, maxStringLength: null })
}

export type RawServer = { url: string; calls: string[]; close(): Promise<void> }

/** A server of our own that gives out tokens and leaves every other call to the test. */
export async function rawVipps(
  answer: RequestListener,
  token: RequestListener = (_, response) => response.end(TOKEN_BODY),
): Promise<RawServer> {
  const calls: string[] = []
  const server = createServer((request, response) => {
    calls.push(`${request.method} ${request.url}`)
    if (request.url?.endsWith('/accesstoken/get')) token(request, response)
    else answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

export const TOKEN = 'eyJ-et-adgangstoken-0001'
const TOKEN_BODY = JSON.stringify({ token_type: 'Bearer', expires_in: '3599', access_token: TOKEN })
