/** The hosts that are asked, each by a client of its own; where they are the environment says. */
export type Host = 'register' | 'kunngjoring' | 'klass'

/** One register, as whoever asks it has to know it. */
export type RegisterFacts = {
  readonly name: string
  /** For people, on the status page; a soft hyphen where it may be broken. */
  readonly title: string
  /** What operators read beside its budget. */
  readonly about: string
  readonly host: Host
  /** Who answers for it, and on what terms. NLOD (Norsk lisens for offentlige data) does not cover persons. */
  readonly kilde: string
  readonly lisens: string
  readonly budget: CallBudget
}

/** Background calls over all processes: those of the lane in which refreshes wait. */
export type CallBudget = { readonly callsPerSecond: number; readonly atOnce: number }
