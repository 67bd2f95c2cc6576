import { Webhook } from 'standardwebhooks'
import { type Conduct, type Received, startWebhookReceiver } from './webhook-receiver.ts'

/** A message as it arrived, and what was made of it. */
export type Arrived = {
  at: Date
  path: string
  /** The same on every attempt. */
  id: string
  /** Of this attempt, in seconds since 1970. */
  timestamp: number
  /** By the official package of receivers, with the secrets this path has; null where it has none. */
  isSigned: boolean | null
  body: string
  conduct: Conduct
}

/** A receiver as a customer has one: it judges what it is sent, and remembers it. Each path is an endpoint. */
export type JudgedReceiver = {
  readonly origin: string
  /** Newest last. */
  readonly arrived: readonly Arrived[]
  /** What a path believes from now on: one secret, or two while it is rotated. */
  trust(path: string, ...secrets: string[]): void
  /** @param times only the next so many, then it takes them again */
  conduct(path: string, conduct: Conduct, times?: number): void
  conductOf(path: string): Conduct
  /** Hears of each message before it is answered. */
  onArrival(listener: (arrived: Arrived) => void): void
  close(): Promise<void>
}

/** @param keptMax so many messages are remembered */
export async function startJudgedReceiver({
  keptMax = Number.POSITIVE_INFINITY,
}: {
  keptMax?: number
} = {}): Promise<JudgedReceiver> {
  const arrived: Arrived[] = []
  const judges = new Map<string, readonly Webhook[]>()
  const conducts = new Map<string, { conduct: Conduct; left: number }>()
  const listeners: ((one: Arrived) => void)[] = []
  const receiver = await startWebhookReceiver({ keptMax: 0 })

  receiver.conduct((message) => {
    const { path, body, headers } = message
    const own = conducts.get(path)
    const conduct = own === undefined || own.left <= 0 ? TAKEN : own.conduct
    if (own !== undefined) own.left -= 1
    const one: Arrived = {
      at: new Date(),
      path,
      id: String(headers['webhook-id'] ?? ''),
      timestamp: Number(headers['webhook-timestamp']),
      isSigned: isSigned(judges.get(path), message),
      body,
      conduct,
    }
    arrived.push(one)
    if (arrived.length > keptMax) arrived.shift()
    for (const listener of listeners) listener(one)
    return conduct
  })

  return {
    origin: receiver.origin,
    arrived,
    trust(path, ...secrets) {
      judges.set(
        path,
        secrets.map((secret) => new Webhook(secret)),
      )
    },
    conduct: (path, conduct, times = Number.POSITIVE_INFINITY) =>
      void conducts.set(path, { conduct, left: times }),
    conductOf(path) {
      const own = conducts.get(path)
      return own === undefined || own.left <= 0 ? TAKEN : own.conduct
    },
    onArrival: (listener) => void listeners.push(listener),
    close: receiver.close,
  }
}

const TAKEN: Conduct = { status: 200 }

function isSigned(judges: readonly Webhook[] | undefined, { body, headers }: Received): boolean | null {
  if (judges === undefined) return null
  return judges.some((judge) => {
    try {
      judge.verify(body, headers as Record<string, string>)
      return true
    } catch {
      return false
    }
  })
}
