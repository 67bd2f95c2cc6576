import type { Language, Words } from '#src/core/language.ts'
import { type ProblemCode, problems } from './problems.ts'

/**
 * A problem on its way to the caller. `detail` replaces the table's words, `extra` adds members to the body. `isOwn`: it comes of what the
 * caller has under way themselves, and says nothing of how anybody else is answered.
 */
export class Problem extends Error {
  readonly kode: ProblemCode
  readonly detail: Words | null
  readonly headers: Readonly<Record<string, string>>
  readonly extra: Readonly<Record<string, unknown>>
  readonly isOwn: boolean

  constructor(
    kode: ProblemCode,
    facts: {
      detail?: Words
      headers?: Record<string, string>
      extra?: Record<string, unknown>
      isOwn?: boolean
    } = {},
  ) {
    super(kode)
    this.name = 'Problem'
    this.kode = kode
    this.detail = facts.detail ?? null
    this.headers = facts.headers ?? {}
    this.extra = facts.extra ?? {}
    this.isOwn = facts.isOwn ?? false
  }
}

/** The body of a problem (RFC 9457). `type` is an address under the documentation that explains the code. */
export function problemBody(
  problem: Problem,
  about: { language: Language; publicUrl: string; foresporselId: string },
): Record<string, unknown> {
  const kind = problems[problem.kode]
  return {
    type: problemType(problem.kode, about.publicUrl),
    title: kind.title[about.language],
    status: kind.status,
    detail: (problem.detail ?? kind.detail)[about.language],
    kode: problem.kode,
    foresporselId: about.foresporselId,
    ...problem.extra,
  }
}

function problemType(kode: ProblemCode, publicUrl: string): string {
  return `${publicUrl}/dokumentasjon/feil/${kode}`
}
