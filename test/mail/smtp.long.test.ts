import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { createServer as createTlsServer, getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type MailTransport, openMail } from '#src/mail/transport.ts'
import { eventually } from '#test/support/eventually.ts'
import { certificate, certificateKey } from '#test/support/mail-server/certificate.ts'
import { type MailFault, type MailServer, startMailServer } from '#test/support/mail-server.ts'
import { hasty, letter, listeningLog, openOptions, soon } from './parts.ts'

const login = { user: 'oppslag', password: 'med æ og @' }

describe('mail over SMTP', () => {
  let server: MailServer
  let mail: MailTransport

  beforeEach(async () => {
    server = await startMailServer({ login })
    mail = openMail({ ...openOptions, smtpUrl: server.url })
  })
  afterEach(async () => {
    await mail.close()
    await server.close()
  })

  it('a mail that a server takes is accepted, and is there word for word', async () => {
    expect(await mail.send(letter, soon())).toMatchObject({ outcome: 'accepted', code: 250, fault: null })
    const [taken] = server.mails
    expect(taken?.envelope).toEqual({ from: 'retur@selger.example', to: letter.to })
    expect(taken?.content.text?.trimEnd()).toBe(letter.text)
    expect(taken?.content.html).toContain(letter.html)
    expect(taken?.content.messageId).toBe(letter.messageId)
    expect(taken?.content.subject).toBe(letter.subject)
    expect(taken?.content.from).toEqual({ name: 'Bedriftsoppslag', address: 'nokler@selger.example' })
    expect(taken?.content.replyTo).toEqual([{ name: '', address: 'hjelp@selger.example' }])
  })

  const certain: [name: string, fault: MailFault, expected: object][] = [
    ['P32: 421 instead of a greeting', { at: 'greeting', does: 421 }, { outcome: 'temporary', code: 421 }],
    ['a greeting of 554', { at: 'greeting', does: 554 }, { outcome: 'refused_us', code: 554 }],
    [
      'a reset instead of a greeting',
      { at: 'greeting', does: 'reset' },
      { outcome: 'temporary', code: null },
    ],
    [
      'no greeting',
      { at: 'greeting', does: 'hang' },
      { outcome: 'temporary', code: null, fault: 'ETIMEDOUT' },
    ],
    ['EHLO answered with 421', { at: 'ehlo', does: 421 }, { outcome: 'temporary', code: 421 }],
    ['a reset at EHLO', { at: 'ehlo', does: 'reset' }, { outcome: 'temporary', code: null }],
    ['silence at EHLO', { at: 'ehlo', does: 'hang' }, { outcome: 'temporary', code: null }],
    ['P32: a log-in refused with 535', { at: 'auth', does: 535 }, { outcome: 'refused_us', code: 535 }],
    ['a log-in put off with 454', { at: 'auth', does: 454 }, { outcome: 'temporary', code: 454 }],
    ['a reset at AUTH', { at: 'auth', does: 'reset' }, { outcome: 'temporary', code: null }],
    ['silence at AUTH', { at: 'auth', does: 'hang' }, { outcome: 'temporary', code: null }],
    ['a sender refused with 550', { at: 'mail', does: 550 }, { outcome: 'refused_us', code: 550 }],
    ['a sender refused with 530', { at: 'mail', does: 530 }, { outcome: 'refused_us', code: 530 }],
    ['a sender put off with 451', { at: 'mail', does: 451 }, { outcome: 'temporary', code: 451 }],
    ['a reset at MAIL', { at: 'mail', does: 'reset' }, { outcome: 'temporary', code: null }],
    ['silence at MAIL', { at: 'mail', does: 'hang' }, { outcome: 'temporary', code: null }],
    [
      'P32: a recipient refused with 550',
      { at: 'rcpt', does: 550 },
      { outcome: 'refused_recipient', code: 550 },
    ],
    ['a recipient refused with 553', { at: 'rcpt', does: 553 }, { outcome: 'refused_recipient', code: 553 }],
    [
      'relaying refused with 557 (5.7.1)',
      { at: 'rcpt', does: 557 },
      { outcome: 'refused_us', status: '5.7.1' },
    ],
    ['P32: a recipient put off with 450', { at: 'rcpt', does: 450 }, { outcome: 'temporary', code: 450 }],
    ['a reset at RCPT', { at: 'rcpt', does: 'reset' }, { outcome: 'temporary', code: null }],
    ['silence at RCPT', { at: 'rcpt', does: 'hang' }, { outcome: 'temporary', code: null }],
    ['DATA answered with 451', { at: 'data', does: 451 }, { outcome: 'temporary', code: 451 }],
    ['DATA answered with 554', { at: 'data', does: 554 }, { outcome: 'refused_us', code: 554 }],
    ['a reset at DATA', { at: 'data', does: 'reset' }, { outcome: 'temporary', code: null }],
    ['silence at DATA', { at: 'data', does: 'hang' }, { outcome: 'temporary', code: null }],
    ['P32: 451 after the dot', { at: 'end', does: 451 }, { outcome: 'temporary', code: 451 }],
    ['a mailbox named after the dot (5.1.1)', { at: 'end', does: 550 }, { outcome: 'refused_recipient' }],
    ['content refused after the dot (5.6.0)', { at: 'end', does: 554 }, { outcome: 'refused_us', code: 554 }],
  ]
  it.each(certain)('%s: not taken, and so it is said', async (_name, fault, expected) => {
    const sender =
      fault.does === 'hang' ? openMail({ ...openOptions, smtpUrl: server.url, policy: hasty }) : mail
    server.behave(fault)
    expect(await sender.send(letter, soon())).toMatchObject(expected)
    expect(server.mails).toEqual([])
    await sender.close()
  })

  it.each(['reset', 'hang'] as const)(
    'P32: taken and then no answer (%s): unknown, and it may have arrived',
    async (does) => {
      const sender = openMail({ ...openOptions, smtpUrl: server.url, policy: hasty })
      server.behave({ at: 'end', does })
      expect(await sender.send(letter, soon())).toMatchObject({ outcome: 'unknown', code: null })
      expect(server.mails).toHaveLength(1)
      await sender.close()
    },
  )

  it('after any failure the next mail goes', async () => {
    for (const [, fault] of certain.filter(([, { does }]) => does !== 'hang')) {
      server.behave({ ...fault, times: 2 })
      await mail.send(letter, soon())
      server.behave()
      expect(await mail.send(letter, soon())).toMatchObject({ outcome: 'accepted' })
    }
  })

  it('a connection the server has ended since the last mail costs nothing', async () => {
    await mail.send(letter, soon())
    await server.down()
    await server.up()
    expect(await mail.send(letter, soon())).toMatchObject({ outcome: 'accepted' })
    expect(server.mails).toHaveLength(2)
  })

  it('nor does one it ends at the next mail: nothing of that had left', async () => {
    await mail.send(letter, soon())
    server.behave({ at: 'mail', does: 'reset', times: 1 })
    expect(await mail.send(letter, soon())).toMatchObject({ outcome: 'accepted' })
    expect(server.mails).toHaveLength(2)
  })

  it('P32: nobody listens: temporary', async () => {
    await server.down()
    expect(await mail.send(letter, soon())).toMatchObject({ outcome: 'temporary', fault: 'ECONNREFUSED' })
  })

  it('a host that has no address: temporary', async () => {
    const nowhere = openMail({ ...openOptions, smtpUrl: `smtp://${'a'.repeat(64)}.example:25` })
    expect(await nowhere.send(letter, soon())).toMatchObject({ outcome: 'temporary', code: null })
    await nowhere.close()
  })

  it('P32: given up by its caller before a byte of it left: temporary, and it does not go later', async () => {
    server.behave({ at: 'rcpt', does: 'hang' })
    const giveUp = new AbortController()
    const sent = mail.send(letter, { signal: giveUp.signal })
    await expect.poll(() => server.seen.recipients).toBe(1)
    giveUp.abort()
    expect(await sent).toMatchObject({ outcome: 'temporary', fault: 'EABORT' })
    server.behave()
    await mail.send({ ...letter, messageId: '<b.1@selger.example>' }, soon())
    expect(server.mails.map((one) => one.content.messageId)).toEqual(['<b.1@selger.example>'])
  })

  it('P32: given up by its caller after it left: unknown', async () => {
    server.behave({ at: 'end', does: 'hang' })
    const giveUp = new AbortController()
    const sent = mail.send(letter, { signal: giveUp.signal })
    await server.waitForMails({})
    giveUp.abort()
    expect(await sent).toMatchObject({ outcome: 'unknown', fault: 'EABORT' })
  })

  it('a signal that is over already sends nothing', async () => {
    expect(await mail.send(letter, { signal: AbortSignal.abort() })).toMatchObject({ outcome: 'temporary' })
    expect(server.seen.connections).toBe(0)
  })

  it('many mails go over two connections', async () => {
    const sent = await Promise.all(
      Array.from({ length: 20 }, (_, nr) =>
        mail.send({ ...letter, messageId: `<m.${nr}@selger.example>` }, soon()),
      ),
    )
    expect(sent.every(({ outcome }) => outcome === 'accepted')).toBe(true)
    expect(server.mails).toHaveLength(20)
    expect(server.seen.connections).toBeLessThanOrEqual(2)
  })

  it('more than it may hold are turned away, not queued', async () => {
    const small = openMail({
      ...openOptions,
      smtpUrl: server.url,
      policy: { ...openOptions.policy, waitingMax: 1 },
    })
    const [first, second] = await Promise.all([small.send(letter, soon()), small.send(letter, soon())])
    expect(first).toMatchObject({ outcome: 'accepted' })
    expect(second).toMatchObject({ outcome: 'temporary', fault: 'EFULL' })
    await small.close()
  })

  it('closing waits for what is under way, for a while: what has no answer then is unknown', async () => {
    const sender = openMail({ ...openOptions, smtpUrl: server.url, policy: { ...hasty, silenceMs: 20_000 } })
    server.behave({ at: 'end', does: 'hang' })
    const sent = sender.send(letter, soon())
    await server.waitForMails({})
    await sender.close()
    expect(await sent).toMatchObject({ outcome: 'unknown', fault: 'EABORT' })
    expect(await sender.send(letter, soon())).toMatchObject({ outcome: 'temporary', fault: 'ECLOSED' })
  })

  it('P40: whatever happens, the log holds no address, no word of the mail and nothing the server said', async () => {
    const { log, text } = listeningLog()
    const logged = openMail({ ...openOptions, smtpUrl: server.url, log })
    for (const fault of [...certain.map(([, one]) => one), { at: 'end', does: 'reset' } as const]) {
      if (fault.does === 'hang') continue
      server.behave(fault)
      await logged.send(letter, soon())
    }
    server.behave()
    await logged.send(letter, soon())
    await logged.close()
    expect(text()).toContain(letter.messageId)
    expect(text()).toContain('refused_recipient')
    for (const secret of [letter.to, 'kari', 'not today', 'bo_live_', 'Nøkkelen', login.password]) {
      expect(text()).not.toContain(secret)
    }
  })

  it('a check tells whether mail would be taken, and sends none', async () => {
    expect(await mail.check()).toBeNull()
    server.behave({ at: 'auth', does: 535 })
    expect(await mail.check()).toMatchObject({ outcome: 'refused_us', code: 535 })
    await server.down()
    expect(await mail.check()).toMatchObject({ outcome: 'temporary' })
    expect(server.mails).toEqual([])
  })
})

describe('a hostile mail server', () => {
  it.each([
    ['empty lines for a greeting', '', '\r\n'],
    ['empty lines after the greeting', '220 hei\r\n', '\r\n'],
    ['lines of one reply', '220 hei\r\n250-SIZE\r\n', '250-SIZE\r\n'],
  ])('P192: attack: that says %s without end is left', async (_what, first, line) => {
    let saidBytes = 0
    const flood = Buffer.from(line.repeat(1000))
    const server = createServer((socket) => {
      const goOn = () => {
        while (!socket.destroyed && socket.write(flood)) {}
      }
      socket.on('error', () => {})
      socket.on('close', () => (saidBytes += socket.bytesWritten))
      socket.on('drain', goOn)
      socket.write(first, goOn)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const mail = openMail({ ...openOptions, smtpUrl: `smtp://127.0.0.1:${port}`, policy: hasty })
    expect(await mail.send(letter, soon())).toMatchObject({ outcome: 'temporary', fault: 'EPROTOCOL' })
    await mail.close()
    await new Promise((resolve) => server.close(resolve))
    // Twice the attempt, and what lies in the sockets between.
    expect(saidBytes).toBeLessThan(16_000_000)
  })
})

describe('mail over TLS', () => {
  const before = getCACertificates('default')
  afterEach(() => setDefaultCACertificates(before))

  it.each(['', '220 hei\r\n'])(
    'P192: attack: a server with a good certificate that says lines without end is left, too (after %j)',
    async (first) => {
      setDefaultCACertificates([...before, certificate])
      const flood = Buffer.from('\r\n'.repeat(1000))
      const server = createTlsServer({ cert: certificate, key: certificateKey }, (socket) => {
        const goOn = () => {
          while (!socket.destroyed && socket.write(flood)) {}
        }
        socket.on('error', () => {})
        socket.on('drain', goOn)
        socket.write(first, goOn)
      }).listen(0, '127.0.0.1')
      await once(server, 'listening')
      const { port } = server.address() as AddressInfo
      const mail = openMail({ ...openOptions, smtpUrl: `smtps://127.0.0.1:${port}`, policy: hasty })
      expect(await mail.send(letter, soon())).toMatchObject({ outcome: 'temporary', fault: 'EPROTOCOL' })
      await mail.close()
      await new Promise((resolve) => server.close(resolve))
    },
  )

  it.each(['starttls', 'implicit'] as const)(
    '%s: a certificate nobody signed is not believed, and nothing is sent',
    async (tls) => {
      const server = await startMailServer({ tls })
      const mail = openMail({ ...openOptions, smtpUrl: server.url })
      expect(await mail.send(letter, soon())).toMatchObject({ outcome: 'temporary', code: null })
      expect(server.seen).toMatchObject({ recipients: 0 })
      await mail.close()
      await server.close()
    },
  )

  it.each(['starttls', 'implicit'] as const)(
    'P177: attack: whoever stands where the mail server should be, and whom nobody believes, is connected to once at a time, however many mails wait (%s)',
    async (tls) => {
      vi.useFakeTimers({ toFake: ['performance'] })
      const server = await startMailServer({ tls })
      const mail = openMail({ ...openOptions, smtpUrl: server.url })
      try {
        const fault = async () => (await mail.send(letter, soon())).fault
        await eventually('it is doubted', async () => (await fault()) === 'EDOUBTED')
        const first = server.seen.connections
        expect(first).toBeLessThanOrEqual(2)
        for (const [tried, restMs] of [1000, 2000, 4000].entries()) {
          expect(new Set(await all(20, fault))).toEqual(new Set(['EDOUBTED']))
          expect(server.seen.connections).toBe(first + tried)
          vi.advanceTimersByTime(restMs - 1)
          expect(await all(2, fault)).toEqual(['EDOUBTED', 'EDOUBTED'])
          vi.advanceTimersByTime(1)
          expect((await all(2, fault)).filter((each) => each === 'EDOUBTED')).toHaveLength(1)
        }
        expect(await fault()).toBe('EDOUBTED')
        setDefaultCACertificates([...before, certificate])
        vi.advanceTimersByTime(8000)
        for (let times = 0; times < 3; times += 1)
          expect(await mail.send(letter, soon())).toMatchObject({ outcome: 'accepted' })
      } finally {
        vi.useRealTimers()
        await mail.close()
        await server.close()
      }
    },
  )

  it('a server that breaks off before it has shown anything is asked again at once', async () => {
    const server = createServer((socket) => socket.resetAndDestroy()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const mail = openMail({ ...openOptions, smtpUrl: `smtps://127.0.0.1:${port}` })
    for (let times = 0; times < 3; times += 1)
      expect(await mail.check()).toMatchObject({ fault: 'ECONNRESET' })
    await mail.close()
    await new Promise((resolve) => server.close(resolve))
  })

  it.each(['starttls', 'implicit'] as const)('%s: goes out when the certificate is good', async (tls) => {
    setDefaultCACertificates([...before, certificate])
    const server = await startMailServer({ tls, login })
    const mail = openMail({ ...openOptions, smtpUrl: server.url })
    expect(await mail.send(letter, soon())).toMatchObject({ outcome: 'accepted' })
    await mail.close()
    await server.close()
  })

  it('smtp+starttls: a server that does not offer it gets neither password nor mail', async () => {
    const server = await startMailServer()
    const mail = openMail({ ...openOptions, smtpUrl: server.url.replace('smtp:', 'smtp+starttls:') })
    expect(await mail.send(letter, soon())).toMatchObject({
      outcome: expect.stringMatching(/^(temporary|refused_us)$/),
    })
    expect(server.seen).toMatchObject({ recipients: 0 })
    await mail.close()
    await server.close()
  })
})

function all<T>(count: number, work: () => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, work))
}
