import type { RequestListener } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { policy } from '#config/policy.ts'
import type { Vipps, VippsOptions } from '#src/vipps/client.ts'
import { VippsAnswerError, VippsUnavailableError } from '#src/vipps/errors.ts'
import { startVippsStandIn, type VippsFault } from '#test/support/vipps-stand-in.ts'
import { allOf, CREDENTIALS, failureOf, payment, rawVipps, TOKEN, vippsAt } from './asking.ts'

const opened: { close(): Promise<void> }[] = []

function opening<T extends { close(): Promise<void> }>(thing: T): T {
  opened.push(thing)
  return thing
}

afterEach(async () => {
  for (const thing of opened.splice(0).reverse()) await thing.close()
})

async function atStandIn(options: Partial<VippsOptions> = {}) {
  const standIn = opening(await startVippsStandIn())
  return { standIn, vipps: opening(vippsAt(standIn.url, { ...standIn.credentials, ...options })) }
}

async function atRaw(answer: RequestListener, options: Partial<VippsOptions> = {}) {
  const server = opening(await rawVipps(answer))
  return { server, vipps: opening(vippsAt(server.url, options)) }
}

const read = (vipps: Vipps) => failureOf(vipps.getPayment('bo-ordre-1-1'))

describe('a refusal is told by its status and number', () => {
  test.each([
    [500, undefined, 'vipps_utilgjengelig'],
    [503, undefined, 'vipps_utilgjengelig'],
    [500, 6100, 'vipps_utilgjengelig'],
    [408, undefined, 'vipps_utilgjengelig'],
    [423, undefined, 'vipps_last'],
    [423, 6160, 'vipps_last'],
    [400, 6160, 'vipps_last'],
    [400, 6250, 'vipps_last'],
    [400, 6280, 'vipps_last'],
    [429, undefined, 'vipps_vent'],
    [400, 6080, 'vipps_vent'],
    [409, undefined, 'vipps_var_feil'],
    [400, 4010, 'vipps_var_feil'],
    [400, 4020, 'vipps_var_feil'],
    [409, 4150, 'vipps_var_feil'],
    [400, 6070, 'vipps_borte'],
    [400, 6100, 'vipps_borte'],
    [400, 6260, 'vipps_borte'],
    [400, 6170, 'vipps_allerede_gjort'],
    [400, 6180, 'vipps_allerede_gjort'],
    [404, undefined, 'vipps_ukjent'],
    [400, 5090, 'vipps_ukjent'],
    [401, undefined, 'vipps_nektet'],
    [403, undefined, 'vipps_nektet'],
    [400, undefined, 'vipps_avslatt'],
    [400, 6090, 'vipps_avslatt'],
    [418, undefined, 'vipps_avslatt'],
  ])('%i with %s is %s', async (status, errorCode, code) => {
    const { standIn, vipps } = await atStandIn()
    const { reference, ...rest } = payment()
    await vipps.createPayment({ reference, ...rest })
    standIn.misbehave('capture', {
      kind: 'status',
      status,
      ...(errorCode === undefined ? {} : { errorCode }),
    })
    const capture = { reference, amountOre: 100, currency: 'NOK', idempotencyKey: 'trekk-1' }
    expect(await failureOf(vipps.capture(capture))).toMatchObject({
      code,
      status,
      errorCode: errorCode ?? null,
      traceId: expect.stringMatching(/^00-[0-9a-f-]+$/),
    })
  })

  test('and says when to come back, in seconds', async () => {
    const now = new Date('2026-10-20T12:00:00Z')
    const { standIn, vipps } = await atStandIn({ clock: { now: () => now } })
    for (const [header, seconds] of [
      ['30', 30],
      ['Tue, 20 Oct 2026 12:01:00 GMT', 60],
      ['Tue, 20 Oct 2026 11:00:00 GMT', 0],
      ['soon', null],
      ['-5', null],
    ] as const) {
      standIn.misbehave('listWebhooks', { kind: 'status', status: 429, headers: { 'retry-after': header } })
      expect(await failureOf(vipps.listWebhooks()), header).toMatchObject({ retryAfterSeconds: seconds })
    }
  })

  test('that is not worded as Vipps words them still has its status, and nothing else is made of it', async () => {
    for (const body of [
      '',
      'nei',
      '[]',
      'null',
      '{"extraDetails":"6100","traceId":7}',
      '{"extraDetails":[null,{"name":"ErrorCode","reason":"6100; DROP"}],"traceId":"a b\\nc"}',
    ]) {
      const { vipps } = await atRaw((_, response) => response.writeHead(400).end(body))
      expect(await read(vipps), body).toMatchObject({
        code: 'vipps_avslatt',
        status: 400,
        errorCode: null,
        traceId: null,
      })
    }
  })
})

describe('a payment is unknown when Vipps itself says so', () => {
  test('and not when a gateway, another server or a wrong address does', async () => {
    for (const body of ['', '<html>404</html>', '{"statusCode":404,"message":"Resource not found"}']) {
      const { vipps } = await atRaw((_, response) => response.writeHead(404).end(body))
      expect(await read(vipps), body).toMatchObject({ code: 'vipps_ugyldig_svar', status: 404 })
    }
    const standIn = opening(await startVippsStandIn())
    const astray = opening(vippsAt(`${standIn.url}/et/annet/sted`, standIn.credentials))
    expect(await read(astray)).toMatchObject({ code: 'vipps_ugyldig_svar', status: 404 })
  })
})

describe('an answer that does not come', () => {
  const lost: VippsFault[] = [
    { kind: 'hang', accepts: true },
    { kind: 'reset', accepts: true },
    { kind: 'status', status: 502, accepts: true },
  ]

  test.each(lost)('leaves open what was done; the same again does it once ($kind)', async (fault) => {
    const { standIn, vipps } = await atStandIn({ deadlineMs: fault.kind === 'hang' ? 150 : 10_000 })
    const asked = payment()
    const { reference } = asked
    standIn.misbehave('create', fault, { times: 1 })
    expect(await failureOf(vipps.createPayment(asked))).toBeInstanceOf(VippsUnavailableError)
    expect(standIn.payments.find(reference)).toMatchObject({ state: 'CREATED' })
    expect((await vipps.createPayment(asked)).redirectUrl).toContain('/betal/')

    standIn.approve(reference)
    standIn.misbehave('capture', fault, { times: 1 })
    const capture = { reference, amountOre: 49_900, currency: 'NOK', idempotencyKey: 'trekk-1' }
    expect(await failureOf(vipps.capture(capture))).toBeInstanceOf(VippsUnavailableError)
    await vipps.capture(capture)
    expect(standIn.ledger().sums(reference).captured).toEqual({ times: 1, ore: 49_900 })
  })

  test('is given up at the deadline, also when it drips', async () => {
    const { vipps } = await atRaw(
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        const drip = setInterval(() => response.write(' '), 5)
        response.on('close', () => clearInterval(drip))
      },
      { deadlineMs: 100 },
    )
    expect(await read(vipps)).toBeInstanceOf(VippsUnavailableError)
  })

  test('a silent token endpoint is given up at the deadline too', async () => {
    const server = opening(
      await rawVipps(
        () => {},
        () => {},
      ),
    )
    expect(await read(opening(vippsAt(server.url, { deadlineMs: 100 })))).toBeInstanceOf(
      VippsUnavailableError,
    )
    expect(server.calls).toEqual(['POST /accesstoken/get'])
  })

  test('is given up when the caller does; one who has already given up sends no change', async () => {
    const { server, vipps } = await atRaw(() => {})
    const left = new AbortController()
    const asked = failureOf(vipps.getPayment('bo-ordre-1-1', { signal: left.signal }))
    setImmediate(() => left.abort())
    expect(await asked).toBeInstanceOf(VippsUnavailableError)
    const gone = vipps.createPayment(payment(), { signal: AbortSignal.abort() })
    expect(await failureOf(gone)).toBeInstanceOf(VippsUnavailableError)
    expect(server.calls.filter((call) => call.startsWith('POST /epayment'))).toEqual([])
  })

  test('nobody listening, or a connection that breaks in the middle, is Vipps not being there', async () => {
    const { server, vipps } = await atRaw((_, response) => {
      response.writeHead(200, { 'content-length': 100 })
      response.write('{"state":', () => response.destroy())
    })
    expect(await read(vipps)).toBeInstanceOf(VippsUnavailableError)
    await server.close()
    expect(await read(vipps)).toBeInstanceOf(VippsUnavailableError)
  })

  test('closing ends the calls under way', async () => {
    const reached = Promise.withResolvers<void>()
    const { vipps } = await atRaw(() => reached.resolve())
    const asked = read(vipps)
    await reached.promise
    await vipps.close()
    expect(await asked).toBeInstanceOf(VippsUnavailableError)
  })
})

describe('an answer that can not be believed', () => {
  const whole = {
    reference: 'bo-ordre-1-1',
    state: 'AUTHORIZED',
    amount: { currency: 'NOK', value: 49_900 },
    aggregate: {
      authorizedAmount: { currency: 'NOK', value: 49_900 },
      cancelledAmount: { currency: 'NOK', value: 0 },
      capturedAmount: { currency: 'NOK', value: 0 },
      refundedAmount: { currency: 'NOK', value: 0 },
    },
    pspReference: 'psp-1',
  }
  const answering = (body: unknown) => atRaw((_, response) => response.end(JSON.stringify(body)))

  test('the whole one is believed, with fields nobody knows, and without those that may be missing', async () => {
    const { vipps } = await answering({
      ...whole,
      nytt: { felt: 1 },
      captureGuaranteedUntil: 'snart',
      merchantSerialNumber: null,
      userDetails: { email: 'kari@example.no' },
    })
    const found = await vipps.getPayment('bo-ordre-1-1')
    expect(found).toMatchObject({
      authorizedOre: 49_900,
      captureGuaranteedUntil: null,
      merchantSerialNumber: null,
    })
    expect(JSON.stringify(found)).not.toMatch(/nytt|kari/)
  })

  test.each([
    ['no object', null],
    ['a list', [whole]],
    ['a state that does not exist', { ...whole, state: 'CAPTURED' }],
    ['no reference', { ...whole, reference: undefined }],
    ['no sums', { ...whole, aggregate: undefined }],
    ['a sum in text', { ...whole, amount: { currency: 'NOK', value: '49900' } }],
    ['a sum in parts of an øre', { ...whole, amount: { currency: 'NOK', value: 499.5 } }],
    ['a sum below nothing', { ...whole, amount: { currency: 'NOK', value: -1 } }],
    ['a sum in another currency', { ...whole, amount: { currency: 'SEK', value: 49_900 } }],
  ])('%s', async (_, body) => {
    expect(await read((await answering(body)).vipps)).toBeInstanceOf(VippsAnswerError)
  })

  test('no JSON, no UTF-8, nothing at all', async () => {
    for (const body of ['<html>', '{"state":', '', Buffer.from([0x22, 0xff, 0x22])]) {
      const { vipps } = await atRaw((_, response) => response.end(body))
      expect(await read(vipps)).toBeInstanceOf(VippsAnswerError)
    }
  })

  test('longer than is accepted, with or without its length, though it is a whole payment', async () => {
    const padding = ' '.repeat(0.6 * policy.vipps.bodyBytesMax)
    const { vipps } = await atRaw((_, response) => response.end(padding + padding + JSON.stringify(whole)))
    expect(await read(vipps)).toBeInstanceOf(VippsAnswerError)
    const chunked = await atRaw((_, response) => {
      response.write(padding)
      response.end(padding + JSON.stringify(whole))
    })
    expect(await read(chunked.vipps)).toBeInstanceOf(VippsAnswerError)
    const fits = await atRaw((_, response) => response.end(padding + JSON.stringify(whole)))
    expect(await fits.vipps.getPayment('bo-ordre-1-1')).toMatchObject({ state: 'AUTHORIZED' })
  })

  test('a redirect: it is not followed, so our credentials go nowhere', async () => {
    const elsewhere = opening(await rawVipps((_, response) => response.end('{}')))
    const { vipps } = await atRaw((_, response) =>
      response.writeHead(307, { location: `${elsewhere.url}/epayment` }).end(),
    )
    expect(await read(vipps)).toMatchObject({ code: 'vipps_ugyldig_svar', status: 307 })
    expect(elsewhere.calls).toEqual([])
  })

  test('a created payment that is another one, or leads nowhere a buyer can be sent', async () => {
    const { standIn, vipps } = await atStandIn()
    for (const change of [
      { reference: 'en-annen-1' },
      { redirectUrl: 'javascript:alert(1)' },
      { redirectUrl: '/betal/1' },
      { redirectUrl: 'https://vipps.example/betal\r\n\r\n' },
      { redirectUrl: 'https://vipps.example/\u{1f4b3}' },
      { redirectUrl: undefined },
    ]) {
      standIn.misbehave('create', { kind: 'altered', change }, { times: 1 })
      expect(await failureOf(vipps.createPayment(payment()))).toBeInstanceOf(VippsAnswerError)
    }
  })

  test('a token that is no token', async () => {
    for (const body of [
      '{}',
      '{"access_token":"","expires_in":1}',
      '{"access_token":"a b","expires_in":1}',
    ]) {
      const server = opening(
        await rawVipps(
          () => {},
          (_, response) => response.end(body),
        ),
      )
      expect(await read(opening(vippsAt(server.url)))).toBeInstanceOf(VippsAnswerError)
    }
  })
})

describe('P40: what an error shows', () => {
  // The beginning of the token will do: what is cut short has still been shown.
  const hidden = [
    TOKEN.slice(0, 8),
    CREDENTIALS.clientId,
    CREDENTIALS.clientSecret,
    CREDENTIALS.subscriptionKey,
  ]

  /** Everything Vipps could send back, repeated by a server that means no harm and thinks of nothing. */
  const repeating: RequestListener = (request, response) =>
    response
      .writeHead(400)
      .end(
        JSON.stringify({ title: request.headers.authorization, traceId: `${request.headers.authorization}` }),
      )

  test('neither token nor credentials, however the call failed', async () => {
    const answers: RequestListener[] = [
      repeating,
      (request, response) => response.end(JSON.stringify(request.headers)),
      (request, response) => response.end(`${request.headers.authorization}`),
      (request, response) => response.writeHead(500).end(`${request.headers.authorization}`),
      (request) => request.socket.destroy(),
      (request) => request.socket.end(`${request.headers.authorization}\r\n\r\n`),
      (request, response) => response.end(`${request.headers.authorization}`.repeat(20_000)),
      () => {},
    ]
    for (const answer of answers) {
      const { vipps } = await atRaw(answer, { deadlineMs: 200 })
      const shown = allOf(await read(vipps))
      for (const secret of hidden) expect(shown).not.toContain(secret)
    }
  })

  test('neither when the token itself came in a way that can not be read', async () => {
    for (const body of [
      TOKEN,
      `{"access_token":"${TOKEN}"`,
      `{"access_token":"${TOKEN}"}`,
      TOKEN.repeat(20_000),
    ]) {
      const server = opening(
        await rawVipps(
          () => {},
          (_, response) => response.end(body),
        ),
      )
      const shown = allOf(await read(opening(vippsAt(server.url))))
      for (const secret of hidden) expect(shown).not.toContain(secret)
    }
  })

  test('and the client shows them no more than its errors do', () => {
    const shown = allOf(opening(vippsAt('http://127.0.0.1:1')))
    for (const secret of hidden) expect(shown).not.toContain(secret)
  })
})
