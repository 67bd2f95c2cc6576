import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * A cookie that no script can read and no other site can make the browser send. Over https the browser itself sees to it that
 * no other name and no plain answer has set it (RFC 6265bis, `__Host-`). Over http, on the loopback, browsers refuse such a
 * name.
 *
 * @param name without the prefix
 */
export function createSessionCookie(name: string) {
  const cookieOf = (request: FastifyRequest) => (request.protocol === 'https' ? `__Host-${name}` : name)

  return {
    /** The value the browser sent; null when there is none. */
    read(request: FastifyRequest): string | null {
      const cookie = cookieOf(request)
      for (const part of (request.headers.cookie ?? '').split(';')) {
        const [found = '', value = ''] = part.trim().split('=')
        if (found === cookie && value !== '') return value
      }
      return null
    },

    /** @param session null ends it in the browser */
    set(
      request: FastifyRequest,
      reply: FastifyReply,
      session: { value: string; seconds: number } | null,
    ): void {
      const parts = [
        `${cookieOf(request)}=${session?.value ?? ''}`,
        'Path=/',
        'HttpOnly',
        'SameSite=Strict',
        `Max-Age=${session?.seconds ?? 0}`,
        ...(request.protocol === 'https' ? ['Secure'] : []),
      ]
      reply.header('set-cookie', parts.join('; '))
    },
  }
}
