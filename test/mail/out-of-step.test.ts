import { createServer, type Server, type Socket } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import { openSmtp } from '#src/mail/smtp.ts'

type Taken = { to: string; content: string }

const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve))
})

/** A mail server that offers PIPELINING, and says this when it has taken a mail over a connection for the first time. */
async function startServer(firstAnswer: string) {
  const taken: Taken[] = []

  function converse(socket: Socket): void {
    let heard = ''
    let to = ''
    let isData = false
    let answer = firstAnswer
    const replyTo = (line: string) => {
      if (line.startsWith('EHLO')) return '250-here\r\n250 PIPELINING\r\n'
      if (line.startsWith('RCPT')) to = /<(.*)>/.exec(line)?.[1] ?? ''
      isData = line === 'DATA'
      return isData ? '354 go on\r\n' : '250 ok\r\n'
    }
    socket.on('error', () => {})
    socket.write('220 here\r\n')
    socket.setEncoding('utf8').on('data', (text) => {
      heard += text
      for (let end = heard.indexOf(isData ? '\r\n.\r\n' : '\r\n'); end >= 0; ) {
        const said = heard.slice(0, end)
        heard = heard.slice(end + (isData ? 5 : 2))
        if (isData) {
          taken.push({ to, content: said })
          isData = false
          socket.write(answer)
          answer = '250 ok\r\n'
        } else socket.write(replyTo(said))
        end = heard.indexOf(isData ? '\r\n.\r\n' : '\r\n')
      }
    })
  }

  const server = createServer(converse)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { taken, url: `smtp://127.0.0.1:${(server.address() as { port: number }).port}` }
}

it.each([
  ['says twice that it has taken one', '250 ok\r\n250 ok\r\n'],
  [
    'says more of it, which reads as if it waited for another',
    '250 ok\r\n250 a\r\n354 b\r\n250 c\r\n250 d\r\n',
  ],
])(
  'P32: attack: a mail server that %s gets no mail in the place of another’s, and is believed in no more than it took',
  async (_, said) => {
    const { taken, url } = await startServer(said)
    const outlet = openSmtp({ url, name: 'oppslag.example', policy: { ...policy.mail, connectionsMax: 1 } })
    const all = Array.from({ length: 12 }, (_each, nr) => `leser-${nr}@example.no`)
    const sent = await Promise.all(
      all.map((to) =>
        outlet.take(
          {
            from: 'oppslag@oppslag.example',
            to,
            messageId: `<${to}>`,
            bytes: Buffer.from(`To: ${to}\r\n\r\nnøkkel\r\n`),
          },
          { signal: AbortSignal.timeout(30_000) },
        ),
      ),
    )
    outlet.close()
    for (const { to, content } of taken) expect(content.split('\r\n')[0]).toBe(`To: ${to}`)
    const accepted = all.filter((_to, nr) => sent[nr]?.outcome === 'accepted')
    expect(accepted.length).toBeGreaterThan(0)
    for (const each of accepted) expect(taken.map(({ to }) => to)).toContain(each)
    expect(sent.every(({ outcome }) => outcome !== 'refused_recipient')).toBe(true)
  },
)
