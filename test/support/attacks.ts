import { setTimeout as pause } from 'node:timers/promises'
import { Agent } from 'undici'
import type { AttackedFront, Cost } from './attacked-front.ts'
import { eventually } from './eventually.ts'
import { openUnreadSockets, pipeline } from './hostile-clients.ts'

const FILE = '/dokumentasjon/static/swagger-ui-bundle.js'

/** One write of 64 kB each, for the document, a file and the operators' port, and nothing is read. */
export function unreadPipelines(
  { front, opsAddress, under }: AttackedFront,
  { count, networks }: { count: number; networks: number },
): Promise<Cost> {
  const from = Array.from({ length: networks }, (_, index) => `127.0.1.${1 + index}`)
  return under(async (isOver) => {
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
  })
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

/** The first zstd form of many held companies, all asked for at once. */
export async function firstForms(
  { front, around, under }: AttackedFront,
  { companies }: { companies: readonly string[] },
): Promise<Cost> {
  const agent = new Agent({ connections: companies.length })
  const ask = async (orgnr: string, acceptEncoding: string) => {
    const { statusCode, body } = await agent.request({
      origin: front.address,
      path: `/api/bedrift/${orgnr}`,
      method: 'GET',
      headers: { authorization: `Bearer ${around.token}`, 'accept-encoding': acceptEncoding },
    })
    await body.dump()
    return statusCode
  }
  try {
    // Held, as they are; a few at a time, as readers come.
    for (let from = 0; from < companies.length; from += 10) {
      await Promise.all(companies.slice(from, from + 10).map((orgnr) => ask(orgnr, 'identity')))
    }
    return await under(async () => {
      const statuses = await Promise.all(companies.map((orgnr) => ask(orgnr, 'zstd')))
      if (statuses.some((status) => status !== 200)) throw new Error(`answered with ${new Set(statuses)}`)
    })
  } finally {
    await agent.close()
  }
}
