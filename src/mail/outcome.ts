/**
 * What became of a mail. All but `unknown` is certain.
 * - `accepted`: a server has taken it, and answers for it from here.
 * - `refused_recipient`: it will not be taken for this address, however often it is tried.
 * - `refused_us`: nothing is wrong with the address. Log-in, sender, content or policy: somebody has to look, and meanwhile
 *   it can be tried again.
 * - `temporary`: not now, or nobody there. Not taken.
 * - `unknown`: the mail was on its way and no answer came (RFC 1047): it may arrive, or not.
 */
export const mailOutcomes = ['accepted', 'refused_recipient', 'refused_us', 'temporary', 'unknown'] as const
export type MailOutcome = (typeof mailOutcomes)[number]

/** Nothing in it is about a person: what a server says beside its codes often repeats the address, and is left out. */
export type Sent = {
  readonly outcome: MailOutcome
  /** The server's reply (RFC 5321, 4.2) and its enhanced status (RFC 3463); null when it gave none. */
  readonly code: number | null
  readonly status: string | null
  /** What was being said, and what went wrong in the connection: `RCPT TO`, `ECONNREFUSED`. For the log. */
  readonly command: string | null
  readonly fault: string | null
}

/** What nodemailer tells of a failure, as observed at every stage of the conversation (10.6). */
type Failure = Partial<
  Record<'code' | 'originalCode' | 'command' | 'response', string> & { responseCode: number }
>

/** Failures without a reply that are not the network's: they stay as they are until somebody changes something. */
const OURS: ReadonlySet<string> = new Set(['EAUTH', 'ENOAUTH', 'EENVELOPE', 'ECONFIG'])

/**
 * Reads a failed attempt.
 *
 * @param hasBegun whether a byte of the mail was handed over. Until then a server can not have taken it; from then on only
 *   a reply tells, since the failure looks the same before and after the last byte.
 */
export function outcomeOf(error: unknown, { hasBegun }: { hasBegun: boolean }): Sent {
  const failure = (error instanceof Error ? error : {}) as Failure
  const code = failure.responseCode ?? null
  const status = statusIn(failure.response)
  const command = failure.command ?? null
  return {
    outcome: judge({
      code,
      status,
      command,
      isOfRelaying: isOfRelaying(failure.response),
      fault: failure.code ?? null,
      hasBegun,
    }),
    code,
    status,
    command,
    fault: failure.originalCode ?? failure.code ?? null,
  }
}

function judge(seen: {
  code: number | null
  status: string | null
  command: string | null
  isOfRelaying: boolean
  fault: string | null
  hasBegun: boolean
}): Exclude<MailOutcome, 'accepted'> {
  const { code, fault, hasBegun } = seen
  if (code !== null && code >= 500) return isAboutRecipient(seen) ? 'refused_recipient' : 'refused_us'
  if (code !== null && code >= 400) return 'temporary'
  if (hasBegun) return 'unknown'
  return fault !== null && OURS.has(fault) ? 'refused_us' : 'temporary'
}

/**
 * A refusal of the recipient may still be about us: no log-in (530), relaying denied or a block list (x.7.x, or in words where no such
 * status is given), a sequence of commands it did not like (503, x.5.x). After the dot it is about the content, unless it names the mailbox (x.1.x, x.2.x).
 */
function isAboutRecipient({
  code,
  status,
  command,
  isOfRelaying,
}: {
  code: number | null
  status: string | null
  command: string | null
  isOfRelaying: boolean
}): boolean {
  const subject = status?.split('.')[1]
  if (command === 'RCPT TO') {
    const isAboutUs = code === 530 || code === 535 || code === 503 || subject === '7' || subject === '5'
    return !isAboutUs && !(status === null && isOfRelaying)
  }
  return command === 'DATA' && (subject === '1' || subject === '2')
}

/**
 * Exim and qmail give no status, and say this of every recipient where the machine or its log-in is not let through any more: taken for
 * addresses that are no good, all mails would be given up at once. The address itself is not looked at: it may hold such a word.
 */
function isOfRelaying(response: string | undefined): boolean {
  const said = (response ?? '').replaceAll(/\S*@\S*/g, '')
  return /\brelay|\bauthenticat|\bSMTP AUTH\b|\brcpthosts\b/i.test(said)
}

function statusIn(response: string | undefined): string | null {
  return /^[45][0-9]{2}[ -]([45]\.[0-9]{1,3}\.[0-9]{1,3})(?![0-9.])/.exec(response ?? '')?.[1] ?? null
}
