import { startWebhookReceiver } from '#test/support/webhook-receiver.ts'
import type { Stage } from '../stage.ts'

/** A customer's receiver, which takes everything at once and remembers when what arrived first. */
export async function openReceiver() {
  const arrived = new Map<string, number>()
  const awaited = new Map<string, (at: number) => void>()
  const receiver = await startWebhookReceiver({ keptMax: 0 })
  let count = 0
  receiver.conduct(({ body }) => {
    count += 1
    const now = performance.now()
    const told = JSON.parse(body) as { data?: { organisasjonsnummer?: string } }
    const orgnr = told.data?.organisasjonsnummer ?? ''
    if (!arrived.has(orgnr)) {
      arrived.set(orgnr, now)
      awaited.get(orgnr)?.(now)
    }
    return { status: 204 }
  })
  return {
    origin: receiver.origin,
    /** When the first message about each company came. */
    arrived: arrived as ReadonlyMap<string, number>,
    count: () => count,
    /** When the next about this company comes: what came before is forgotten. */
    next(orgnr: string): Promise<number> {
      arrived.delete(orgnr)
      return new Promise((resolve) => awaited.set(orgnr, resolve))
    },
    close: receiver.close,
  }
}

/** A customer who follows the change log with a long poll, one call after the other. */
export function followLog({ headers }: Pick<Stage, 'headers'>, front: string) {
  const seen = new Map<string, number>()
  const over = new AbortController()
  const following = follow()
  following.catch(() => {})

  async function follow(): Promise<void> {
    let etter = ''
    while (!over.signal.aborted) {
      const answer = await fetch(`${front}/api/endringer?vent=25${etter}`, { headers, signal: over.signal })
      if (!answer.ok) throw new Error(`the log: ${answer.status} ${await answer.text()}`)
      const page = (await answer.json()) as { endringer: { organisasjonsnummer: string }[]; neste: string }
      const now = performance.now()
      for (const { organisasjonsnummer: orgnr } of page.endringer) if (!seen.has(orgnr)) seen.set(orgnr, now)
      etter = `&etter=${page.neste}`
    }
  }

  return {
    /** When the first change of each company was read. */
    seen: seen as ReadonlyMap<string, number>,
    async stop(): Promise<void> {
      over.abort()
      await following.catch((error: Error) => {
        if (error.name !== 'AbortError') throw error
      })
    },
  }
}
