import type { Sent } from './outcome.ts'

/** A composed mail and its envelope. */
export type Posting = {
  /** Where it comes back to when it can not be delivered. */
  from: string
  to: string
  messageId: string
  bytes: Buffer
}

/** Where mails go out: a mail server, or a folder. What becomes of a mail is an answer, never an exception. */
export type Outlet = {
  take(posting: Posting, call: { signal: AbortSignal }): Promise<Sent>
  /** Null when mail would be taken; else what is in the way. */
  check(): Promise<Sent | null>
  /** At once. What is still under way comes to an end. */
  close(): void
}
