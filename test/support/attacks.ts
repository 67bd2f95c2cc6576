import { setTimeout as pause } from 'node:timers/promises'
import { Agent } from 'undici'
import { policy } from '#config/policy.ts'
import { PUBLIC_TEST_KEY } from '#src/access/public-test-key.ts'
import { SAMPLE } from '../fixtures/samples/index.ts'
import type { AttackedFront, Cost } from './attacked-front.ts'
import { eventually } from './eventually.ts'
import { askAndStay, openUnreadSockets, pipeline } from './hostile-clients.ts'
import { connectionsTo, cpuMs } from './process-costs.ts'

const FILE = '/dokumentasjon/postman.json'
/** Some of those that wait; what all of them hold is bounded before as many wait as may. */
const WAITING_SOME = policy.pages.listsReceived.atOnce

type Attack = Parameters<AttackedFront['under']>[0]

/** One write of 64 kB each, for the document, a file and the operators' port, and nothing is read. */
export function unreadPipelines(
  attacked: AttackedFront,
  options: { count: number; networks: number },
): Promise<Cost> {
  return attacked.under(pipelines(attacked, options))
}

function pipelines(
  { front, opsAddress }: AttackedFront,
  { count, networks }: { count: number; networks: number },
): Attack {
  const from = Array.from({ length: networks }, (_, index) => `127.0.1.${1 + index}`)
  return async (isOver) => {
    const ends = [
      openUnreadSockets(front.address, { count, from, sends: pipeline('/openapi.json') }),
      openUnreadSockets(front.address, { count, from, sends: pipeline(FILE) }),
      openUnreadSockets(opsAddress, { count, from, sends: pipeline('/stil/designsystemet.css') }),
    ]
    try {
      // All of it has been read by then.
      await pause(500)
      await eventually('they are let go', isOver, 60_000)
    } finally {
      for (const end of ends) end()
    }
  }
}

/** As many requests as are begun, for what is large, and nothing is read. @returns how long until the last was let go, too */
export async function unreadAnswers(
  { front, under }: AttackedFront,
  { count }: { count: number },
): Promise<Cost & { heldMs: number }> {
  let heldMs = 0
  const cost = await under(async (isOver) => {
    const since = performance.now()
    const sends = `GET ${FILE} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(16)
    const end = openUnreadSockets(front.address, { count, from: ['127.0.2.1'], sends })
    try {
      await pause(500)
      await eventually('they are let go', isOver, 60_000)
      heldMs = performance.now() - since
    } finally {
      end()
    }
  })
  return { ...cost, heldMs }
}

/**
 * Records in English by the key that everybody has, from many networks: each connection asks for twelve, and reads none.
 *
 * @param options.waves of connections, one a second
 */
export function recordsInEnglish(
  { front, under }: AttackedFront,
  { waves }: { waves: number },
): Promise<Cost> {
  const from = Array.from({ length: 200 }, (_, n) => `127.0.30.${1 + n}`)
  const one = `GET /api/bedrift/${SAMPLE.healthy} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${PUBLIC_TEST_KEY}\r\nAccept-Language: en\r\n\r\n`
  return under(async () => {
    const ends: (() => void)[] = []
    try {
      for (let wave = 0; wave < waves; wave += 1) {
        ends.push(openUnreadSockets(front.address, { count: WAVE, from, sends: one.repeat(12) }))
        await pause(1000)
      }
      await eventually(
        'all are made that will be',
        async () => {
          const before = cpuMs(front.pid)
          await pause(1000)
          return cpuMs(front.pid) - before < 400
        },
        120_000,
      )
    } finally {
      for (const end of ends) end()
    }
  })
}

/** As many as a port takes in at once. */
const WAVE = 400

/**
 * Lists of half a megabyte that are begun and never whole, which anybody may send.
 *
 * @param meanwhile while all of them are held open
 */
export function unfinishedLists(
  { front, under }: AttackedFront,
  { count }: { count: number },
  meanwhile: () => Promise<void>,
): Promise<Cost> {
  const head = [
    'POST /liste HTTP/1.1',
    'Host: x',
    'Content-Type: application/x-www-form-urlencoded',
    `Content-Length: ${512 * 1024}`,
    '\r\n',
  ].join('\r\n')
  const sends = head + 'a'.repeat(500 * 1024)
  return under(async (isOver) => {
    const end = openUnreadSockets(front.address, { count, from: ['127.0.3.1'], sends })
    try {
      // Those beyond are told to come again, and gone.
      await eventually('more than have a place are there', () => connectionsTo(front.address) > WAITING_SOME)
      await meanwhile()
    } finally {
      end()
    }
    await eventually('they are let go', isOver, 60_000)
  })
}

/** Lists as long as they may be at each address, by the key that everybody has and of so many networks, of which the end never comes. */
export function unfinishedEverywhere(
  { front, under }: AttackedFront,
  { count, networks }: { count: number; networks: number },
): Promise<Cost> {
  const from = Array.from({ length: networks }, (_, index) => `127.0.10.${1 + index}`)
  const list = (path: string, type: string, bytes: number) =>
    headOf(
      `POST ${path} HTTP/1.1`,
      `Authorization: Bearer ${PUBLIC_TEST_KEY}`,
      'Idempotency-Key: x',
      `Content-Type: ${type}`,
      `Content-Length: ${bytes}`,
    ) + 'a'.repeat(bytes - 1000)
  const sent = [
    list('/liste', 'application/x-www-form-urlencoded', policy.pages.listBytesMax),
    list('/api/bedrift/oppslag', 'text/plain', policy.many.bodyBytesMax),
    list('/api/overvaking', 'text/plain', policy.watches.bodyBytesMax),
    list('/api/bedrift/bestillinger', 'text/plain', policy.batches.test.bodyBytesMax),
    list('/api/avstemming', 'application/x-www-form-urlencoded', policy.reconciliation.bodyBytesMax),
  ]
  return under(async (isOver) => {
    const ends = sent.map((sends) => openUnreadSockets(front.address, { count, from, sends }))
    await pause(5000)
    for (const end of ends) end()
    await eventually('they are let go', isOver, 60_000)
  })
}

/** What anybody may begin, and never comes to the end of: as much as needs no place, and takes the most for what is sent. */
export const beginnings = {
  'short bodies': `${headOf('POST /liste HTTP/1.1', 'Content-Type: application/x-www-form-urlencoded', 'Content-Length: 16384')}${'a'.repeat(16_000)}`,
  'heads of thousands of lines': headOf('GET / HTTP/1.1', ...Array(1300).fill('ab:c')).slice(0, -2),
  'connections that ask nothing': '',
}

function headOf(first: string, ...lines: string[]): string {
  return [first, 'Host: x', ...lines, '\r\n'].join('\r\n')
}

/** Requests that are begun, by as many connections of so many networks. */
export function unfinishedRequests(
  { front, under }: AttackedFront,
  { count, networks, sends }: { count: number; networks: number; sends: string },
): Promise<Cost> {
  const from = Array.from({ length: networks }, (_, index) => `127.0.5.${1 + index}`)
  return under(async (isOver) => {
    const ends: (() => void)[] = []
    try {
      // As many as are let in at a time.
      for (let begun = 0; begun < count; begun += 200) {
        ends.push(openUnreadSockets(front.address, { count: 200, from, sends }))
        await pause(10)
      }
      await pause(3000)
    } finally {
      for (const end of ends) end()
    }
    await eventually('they are let go', isOver, 60_000)
  })
}

/** What is asked once, on connections that then are kept: nothing that is to be waited for, or a change that does not come. */
export const keptOpen = {
  'who ask nothing more': `GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n`,
  'who wait for changes': `GET /api/endringer?vent=50 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${PUBLIC_TEST_KEY}\r\n\r\n`,
}

/**
 * Connections of so many networks, on each of which this is asked once.
 *
 * @param from the first two numbers of their networks' addresses
 * @returns how many had which status, too; null: none came
 */
export async function keptConnections(
  { front, under }: AttackedFront,
  {
    count,
    networks,
    sends,
    from = '127.8',
  }: { count: number; networks: number; sends: string; from?: string },
): Promise<Cost & { statuses: Record<string, number> }> {
  const statuses: Record<string, number> = {}
  const cost = await under(async (isOver) => {
    const crowd = await askOnce(front.address, { count, networks, sends, from })
    await pause(3000)
    for (const status of crowd.end()) statuses[String(status)] = (statuses[String(status)] ?? 0) + 1
    await eventually('they are let go', isOver, 60_000)
  })
  return { ...cost, statuses }
}

async function askOnce(
  address: string,
  { count, networks, sends, from }: { count: number; networks: number; sends: string; from: string },
): Promise<{ end(): (number | null)[] }> {
  const asked: ReturnType<typeof askAndStay>[] = []
  while (asked.length < count) {
    // As many as are let in at a time.
    for (let more = 0; more < 100; more += 1) {
      const network = asked.length % networks
      asked.push(askAndStay(address, sends, `${from}.${network >> 7}.${1 + (network & 127)}`))
    }
    await pause(10)
  }
  await eventually('they are in, or out', () => asked.every(({ isSettled }) => isSettled()), 60_000)
  return { end: () => asked.map(({ end }) => end()) }
}

/** The first zstd form of many held companies, all asked for at once. */
export function firstForms(
  attacked: AttackedFront,
  { companies }: { companies: readonly string[] },
): Promise<Cost> {
  return withForms(attacked, companies, (forms) => attacked.under(forms))
}

/** Both at the same time: the pipelines are read while the forms are made. */
export function allAtOnce(
  attacked: AttackedFront,
  { companies, ...options }: { companies: readonly string[]; count: number; networks: number },
): Promise<Cost> {
  const unread = pipelines(attacked, options)
  return withForms(attacked, companies, (forms) =>
    attacked.under(async (isOver) => {
      let isMade = false
      const made = forms(isOver).finally(() => {
        isMade = true
      })
      await Promise.all([made, unread(() => isMade && isOver())])
    }),
  )
}

async function withForms(
  { front, token }: AttackedFront,
  companies: readonly string[],
  attack: (forms: Attack) => Promise<Cost>,
): Promise<Cost> {
  const agent = new Agent({ connections: companies.length, keepAliveTimeout: 1 })
  const ask = async (orgnr: string, acceptEncoding: string) => {
    const { statusCode, body } = await agent.request({
      origin: front.address,
      path: `/api/bedrift/${orgnr}`,
      method: 'GET',
      headers: { authorization: `Bearer ${token}`, 'accept-encoding': acceptEncoding },
    })
    await body.dump()
    return statusCode
  }
  try {
    // Held, as they are; a few at a time, as readers come.
    for (let from = 0; from < companies.length; from += 10) {
      await Promise.all(companies.slice(from, from + 10).map((orgnr) => ask(orgnr, 'identity')))
    }
    return await attack(async () => {
      const statuses = await Promise.all(companies.map((orgnr) => ask(orgnr, 'zstd')))
      if (statuses.some((status) => status !== 200)) throw new Error(`answered with ${new Set(statuses)}`)
    })
  } finally {
    await agent.close()
  }
}
