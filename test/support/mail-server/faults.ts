/**
 * Where in the conversation. `end` is after the dot: the whole mail is with the server, and all that is missing is its word.
 */
export type MailStage = 'greeting' | 'ehlo' | 'auth' | 'mail' | 'rcpt' | 'data' | 'end'

/** An SMTP reply code, or no reply at all: the connection is reset, or held open in silence. */
export type MailFault = {
  at: MailStage
  does: number | 'reset' | 'hang'
  /** Only a mail to this address meets it; from `rcpt` on. */
  to?: string
  /** So often, and then no more. Left out: for ever. */
  times?: number
}

type MailFaults = {
  /** What the server does from now on, instead of what it was told before. Nothing: it behaves. */
  behave(...faults: MailFault[]): void
  meets(stage: MailStage, to?: string): MailFault['does'] | null
}

export function createMailFaults(): MailFaults {
  let faults: MailFault[] = []
  return {
    behave(...next) {
      faults = next.map((fault) => ({ ...fault }))
    },
    meets(stage, to) {
      const fault = faults.find(
        (one) => one.at === stage && (one.to === undefined || one.to === to) && one.times !== 0,
      )
      if (fault === undefined) return null
      if (fault.times !== undefined) fault.times--
      return fault.does
    },
  }
}
