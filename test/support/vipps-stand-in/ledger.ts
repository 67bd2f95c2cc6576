import type { StandInEvent, StandInPayment } from './payments.ts'

type LedgerEntry = {
  reference: string
  kind: 'reserved' | 'captured' | 'cancelled' | 'refunded'
  amountOre: number
  currency: string
  idempotencyKey: string | null
  at: Date
}

/** Every øre that was moved, in the order it was. */
export type Ledger = {
  entries: readonly LedgerEntry[]
  /** How often, and how much: for one payment, or for all. */
  sums(reference?: string): Record<LedgerEntry['kind'], { times: number; ore: number }>
}

/** Written from what happened to the money and from nothing else: it is what the buyer's bank would say. */
export function createLedger() {
  const entries: LedgerEntry[] = []

  return {
    enter({ reference, currency }: StandInPayment, event: StandInEvent): void {
      const kind = KIND_OF[event.name]
      if (kind === undefined) return
      const { amountOre, idempotencyKey, at } = event
      entries.push({ reference, kind, amountOre, currency, idempotencyKey, at })
    },

    read(): Ledger {
      const taken = [...entries]
      return {
        entries: taken,
        sums(reference) {
          const about = taken.filter((entry) => reference === undefined || entry.reference === reference)
          const sum = (kind: LedgerEntry['kind']) => {
            const of = about.filter((entry) => entry.kind === kind)
            return { times: of.length, ore: of.reduce((ore, { amountOre }) => ore + amountOre, 0) }
          }
          return {
            reserved: sum('reserved'),
            captured: sum('captured'),
            cancelled: sum('cancelled'),
            refunded: sum('refunded'),
          }
        },
      }
    },
  }
}

const KIND_OF: Partial<Record<StandInEvent['name'], LedgerEntry['kind']>> = {
  AUTHORIZED: 'reserved',
  CAPTURED: 'captured',
  CANCELLED: 'cancelled',
  REFUNDED: 'refunded',
}
