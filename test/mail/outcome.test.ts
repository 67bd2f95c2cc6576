import { describe, expect, it } from 'vitest'
import { outcomeOf } from '#src/mail/outcome.ts'

/** As nodemailer shapes what a server said. */
function refused(command: string, response: string, code = 'EENVELOPE'): Error {
  return Object.assign(new Error(response), {
    code,
    command,
    response,
    responseCode: Number(response.slice(0, 3)),
  })
}

describe('what a failed mail means', () => {
  it.each([
    ['RCPT TO', '550 5.1.1 <a@b.example>: user unknown', 'refused_recipient'],
    ['RCPT TO', '550 5.4.1 Recipient address rejected: Access denied', 'refused_recipient'],
    ['RCPT TO', '552 5.2.2 mailbox full', 'refused_recipient'],
    ['RCPT TO', '550 no such user', 'refused_recipient'],
    ['RCPT TO', '554 5.7.1 <a@b.example>: Relay access denied', 'refused_us'],
    ['RCPT TO', '550-5.7.1 blocked using a list\n550 5.7.1 see there', 'refused_us'],
    ['RCPT TO', '550 relay not permitted', 'refused_us'],
    [
      'RCPT TO',
      '550-Please turn on SMTP Authentication in your mail client.\n550-mail.b.example is not permitted to relay through\n550 this server.',
      'refused_us',
    ],
    ['RCPT TO', '553 sorry, that domain isn’t in my list of allowed rcpthosts (#5.7.1)', 'refused_us'],
    ['RCPT TO', '550 <relay@b.example>: no such user', 'refused_recipient'],
    ['RCPT TO', '550 5.1.1 relay: user unknown', 'refused_recipient'],
    ['RCPT TO', '530 5.7.0 Authentication required', 'refused_us'],
    ['RCPT TO', '503 5.5.1 Bad sequence', 'refused_us'],
    ['RCPT TO', '450 4.2.0 greylisted', 'temporary'],
    ['MAIL FROM', '550 5.1.8 sender domain not found', 'refused_us'],
    ['DATA', '550 5.1.1 user unknown', 'refused_recipient'],
    ['DATA', '550 spam', 'refused_us'],
    ['DATA', '552 5.3.4 too big', 'refused_us'],
    ['DATA', '421 4.3.2 going down', 'temporary'],
    ['AUTH PLAIN', '535 5.7.8 bad credentials', 'refused_us'],
  ])('P32: %s answered with "%s": %s', (command, response, outcome) => {
    for (const hasBegun of [false, true]) {
      expect(outcomeOf(refused(command, response), { hasBegun }).outcome).toBe(outcome)
    }
  })

  it('P32: without a reply it is certain only until the mail begins to leave', () => {
    const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ESOCKET', originalCode: 'ECONNRESET' })
    expect(outcomeOf(reset, { hasBegun: false })).toMatchObject({ outcome: 'temporary', fault: 'ECONNRESET' })
    expect(outcomeOf(reset, { hasBegun: true })).toMatchObject({ outcome: 'unknown', fault: 'ECONNRESET' })
    expect(outcomeOf('?', { hasBegun: true })).toMatchObject({ outcome: 'unknown', fault: null })
  })

  it('P32: a log-in that could not be tried is ours to mend', () => {
    const noAuth = Object.assign(new Error('Missing credentials'), { code: 'EAUTH', command: 'API' })
    expect(outcomeOf(noAuth, { hasBegun: false })).toMatchObject({ outcome: 'refused_us', code: null })
  })

  it('P40: nothing of what the server said stays, but its codes', () => {
    const sent = outcomeOf(refused('RCPT TO', '550 5.1.1 <kari@b.example>: user unknown'), {
      hasBegun: false,
    })
    expect(sent).toEqual({
      outcome: 'refused_recipient',
      code: 550,
      status: '5.1.1',
      command: 'RCPT TO',
      fault: 'EENVELOPE',
    })
  })
})
