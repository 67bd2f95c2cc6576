import { OppslagError } from '#src/core/errors.ts'
import { within } from '#src/core/wait.ts'

type Missing = { del: string; kode: string; tekst: string }

/** `hindringer` keep the process from its work, `mangler` are away while it does what it is sent. */
export type Readiness = { klar: boolean; hindringer: Missing[]; mangler: Missing[] }

/** What a process uses besides itself. `check` returns when it is there and fit, and throws what is wrong otherwise. */
type Check = { del: StorePart; check: () => Promise<void> }

export const storeParts = ['database', 'queue'] as const
type StorePart = (typeof storeParts)[number]

/**
 * Whether requests should be sent here (P39). A front without its stores answers what is held to the keys it knows, and the
 * pages, and taking every front out of service would not bring the stores back: what is away is told, and no reason to turn
 * away. A worker without them has nothing to work off. The registers are never among the checks. Asked at most once in
 * `holdForMs`, however many ask, and answered within `deadlineMs`: whoever asks would take a late answer for a no.
 */
export function createReadiness({
  checks,
  worksWithout,
  policy,
}: {
  checks: readonly Check[]
  worksWithout: boolean
  policy: { holdForMs: number; deadlineMs: number }
}) {
  let last: { at: number; readiness: Promise<Readiness> } | null = null

  async function ask(): Promise<Readiness> {
    const results = await Promise.all(checks.map((each) => missingOf(each, policy.deadlineMs)))
    const missing = results.filter((each) => each !== null)
    return worksWithout
      ? { klar: true, hindringer: [], mangler: missing }
      : { klar: missing.length === 0, hindringer: missing, mangler: [] }
  }

  return function readiness(): Promise<Readiness> {
    const now = performance.now()
    if (last === null || now - last.at >= policy.holdForMs) last = { at: now, readiness: ask() }
    return last.readiness
  }
}

async function missingOf({ del, check }: Check, deadlineMs: number): Promise<Missing | null> {
  try {
    const end = await within(check(), deadlineMs, () => 'late')
    return end === 'late'
      ? { del, kode: 'tidsfrist', tekst: `It did not answer within ${deadlineMs} ms.` }
      : null
  } catch (error) {
    // Only our own words are shown: another error's may hold an address.
    if (error instanceof OppslagError) return { del, kode: error.code, tekst: error.message }
    return { del, kode: 'ukjent', tekst: 'The check failed for another reason; it is in the log.' }
  }
}
