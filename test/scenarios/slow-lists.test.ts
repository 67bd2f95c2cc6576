import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import { PUBLIC_TEST_KEY } from '#src/access/public-test-key.ts'
import { SAMPLE, sampleAnswers } from '../fixtures/samples/index.ts'
import { eventually } from '../support/eventually.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { issueToken, startTestService, type TestService } from '../support/service.ts'

let register: RegisterStandIn
let service: TestService

beforeAll(async () => {
  register = await startRegisterStandIn({ answers: sampleAnswers() })
  service = await startTestService(register, { isLoaded: true, workers: false })
})
afterAll(async () => {
  await service.close()
  await register.close()
})

/** More of each list than is taken without a place, of which the rest never comes. @returns what ends them */
function beginLists(path: string, tokens: readonly string[], each: number): Promise<() => void> {
  const { hostname, port } = new URL(service.address)
  const sockets = tokens.flatMap((token, place) =>
    Array.from({ length: each }, () => {
      // From an address of this machine's own: each is another network.
      const socket = connect({ host: hostname, port: Number(port), localAddress: `127.0.4.${1 + place}` })
      socket.on('error', () => {})
      const head = [
        `POST ${path} HTTP/1.1`,
        'Host: x',
        `Authorization: Bearer ${token}`,
        'Idempotency-Key: slow',
        'Content-Type: application/json',
        'Content-Length: 60000',
        '\r\n',
      ]
      socket.write(`${head.join('\r\n')}[${'"923609016",'.repeat(3000)}`)
      return socket
    }),
  )
  return new Promise((resolve) => {
    let count = 0
    for (const socket of sockets)
      socket.once('connect', () => {
        count += 1
        if (count === sockets.length) resolve(() => sockets.map((each) => each.destroy()))
      })
  })
}

async function send(path: string, token: string, numbers: number): Promise<number> {
  const { status, body } = await fetch(service.address + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'idempotency-key': `${numbers}`,
    },
    body: JSON.stringify(Array(numbers).fill(SAMPLE.healthy)),
  })
  await body?.cancel()
  return status
}

it('P147: lists of two hundred networks that are sent slowly: another network’s is taken in its turn', async () => {
  const path = '/api/bedrift/oppslag?felt=navn'
  const end = await beginLists(path, Array(200).fill(PUBLIC_TEST_KEY), 1)
  try {
    expect(await send(path, PUBLIC_TEST_KEY, 4000)).toBe(200)
  } finally {
    end()
  }
})

const paths = {
  '/api/bedrift/oppslag?felt=navn': { done: 200, places: policy.many.received.atOnce },
  '/api/bedrift/bestillinger?felt=navn': { done: 202, places: policy.batches.received.atOnce },
  '/api/overvaking': { done: 200, places: policy.watches.received.atOnce },
}

describe.each(Object.entries(paths))('P147: lists that are sent slowly (%s)', (path, { done, places }) => {
  it('by anybody, with the key that everybody has, from as many networks as they like', async () => {
    const end = await beginLists(path, Array(20).fill(PUBLIC_TEST_KEY), 10)
    try {
      expect(await send(path, PUBLIC_TEST_KEY, 300)).toBe(done)
      expect(await send(path, PUBLIC_TEST_KEY, 4000)).toBe(done)
    } finally {
      end()
    }
  })

  it('with keys enough to take every place there is: others’ are taken all the same', async () => {
    const tokens = await Promise.all(Array.from({ length: 10 }, () => issueToken(service.storage)))
    const end = await beginLists(path, tokens, Math.ceil(places / 4))
    try {
      const other = await issueToken(service.storage)
      expect(await send(path, other, 300)).toBe(done)
      expect(await send(path, other, 4000)).toBe(done)
      await eventually('again and again', async () => (await send(path, other, 4001)) === done)
    } finally {
      end()
    }
  })
})
