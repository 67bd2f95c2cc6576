import type { FastifyInstance } from 'fastify'
import type { Clock } from '#src/core/clock.ts'
import { DAY_MS } from '#src/core/units.ts'
import { contactAddress } from '#src/mail/templates/wording.ts'

/** RFC 9116, 2.5.5: less than a year, so that what nobody looks after any more is not believed. */
const VALID_FOR_MS = 180 * DAY_MS

/** Where whoever finds a hole in this service tells of it. */
export function securityTxtRoute(
  app: FastifyInstance,
  { contact, publicUrl, clock }: { contact: string; publicUrl: () => string; clock: Clock },
): void {
  const path = '/.well-known/security.txt'
  app.get(path, { schema: { hide: true } }, async (_request, reply) => {
    const expires = new Date(clock.now().getTime() + VALID_FOR_MS)
    const lines = [
      `Contact: ${contactAddress(contact)}`,
      // By the day, so that it may be kept by whoever asks.
      `Expires: ${expires.toISOString().slice(0, 10)}T00:00:00Z`,
      'Preferred-Languages: nb, en',
      `Canonical: ${publicUrl()}${path}`,
    ]
    return reply
      .header('cache-control', 'public, max-age=3600')
      .type('text/plain; charset=utf-8')
      .send(`${lines.join('\n')}\n`)
  })
}
