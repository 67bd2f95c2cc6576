import type { Key } from './key.ts'

/**
 * Leases that came before the fills they are for: whoever asked what is held of a company was told that nothing is, and given
 * them in the same step. A fill takes its own; what nobody has taken soon is given back, so that no other process waits for it.
 *
 * @param takenWithinMs far less than a lease lasts
 */
export function createBegunBefore<Lease>({
  takenWithinMs,
  giveBack,
}: {
  takenWithinMs: number
  giveBack: (key: Key, lease: Lease) => void
}) {
  const byCompany = new Map<string, { lease: Lease; left: Set<string>; timer: NodeJS.Timeout; at: number }>()

  function end(company: string): void {
    const before = byCompany.get(company)
    if (before === undefined) return
    byCompany.delete(company)
    clearTimeout(before.timer)
    for (const section of before.left) giveBack({ company, section }, before.lease)
  }

  return {
    /** @param lease the same for all these sections */
    keep(company: string, sections: readonly string[], lease: Lease): void {
      end(company)
      const timer = setTimeout(end, takenWithinMs, company)
      byCompany.set(company, { lease, left: new Set(sections), timer, at: performance.now() })
    },

    /** Null: there is none, Redis is to be asked. */
    take({ company, section }: Key): Lease | null {
      const before = byCompany.get(company)
      // A timer may be late where the process was busy.
      if (before === undefined || performance.now() - before.at > takenWithinMs) return null
      if (!before.left.delete(section)) return null
      if (before.left.size === 0) end(company)
      return before.lease
    },

    close(): void {
      for (const company of [...byCompany.keys()]) end(company)
    },
  }
}
