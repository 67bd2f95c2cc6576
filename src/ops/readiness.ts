import { OppslagError } from '#src/core/errors.ts'

export type Readiness = { klar: boolean; hindringer: { del: string; kode: string; tekst: string }[] }

/** One thing the service can not do its work without. Returns when it is there and fit, throws what is wrong otherwise. */
type Check = { del: string; check: () => Promise<void> }

/**
 * Whether requests should be sent here (P39). The registers are never among the checks: what is held is served without them,
 * and taking every process out of service would not bring them back. Asked at most once in `holdForMs`, however many ask.
 */
export function createReadiness({ checks, holdForMs }: { checks: readonly Check[]; holdForMs: number }) {
  let last: { at: number; readiness: Promise<Readiness> } | null = null

  async function ask(): Promise<Readiness> {
    const results = await Promise.all(checks.map(problemOf))
    const hindringer = results.filter((each) => each !== null)
    return { klar: hindringer.length === 0, hindringer }
  }

  return function readiness(): Promise<Readiness> {
    const now = performance.now()
    if (last === null || now - last.at >= holdForMs) last = { at: now, readiness: ask() }
    return last.readiness
  }
}

async function problemOf({ del, check }: Check): Promise<Readiness['hindringer'][number] | null> {
  try {
    await check()
    return null
  } catch (error) {
    // Only our own words are shown: another error's may hold an address.
    if (error instanceof OppslagError) return { del, kode: error.code, tekst: error.message }
    return { del, kode: 'ukjent', tekst: 'The check failed for another reason; it is in the log.' }
  }
}
