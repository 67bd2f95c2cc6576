import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * Links that end the mails of a chain, from the mail itself: no key and no session is needed, and nothing but that can be done
 * with one. What stands in it is the chain's name, which is no secret, signed with a secret of the installation; it works for as
 * long as mails go, and does nothing twice.
 */
export function createStopLinks({ secret }: { secret: () => Promise<Uint8Array> }) {
  async function sign(eier: string): Promise<string> {
    const own = createHmac('sha256', await secret())
      .update('endringsvarsel')
      .digest()
    return createHmac('sha256', own).update(eier).digest('base64url')
  }

  return {
    write: async (eier: string): Promise<string> => `${eier}.${await sign(eier)}`,

    /** Whose mails it ends; null for what is no such link. */
    async read(token: string): Promise<string | null> {
      const [, eier = '', given = ''] = /^([0-9A-Za-z_-]{1,40})\.([A-Za-z0-9_-]{43})$/.exec(token) ?? []
      if (eier === '') return null
      const expected = Buffer.from(await sign(eier))
      return timingSafeEqual(expected, Buffer.from(given)) ? eier : null
    },
  }
}

export type StopLinks = ReturnType<typeof createStopLinks>
