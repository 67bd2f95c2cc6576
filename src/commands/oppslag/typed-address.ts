import { text } from 'node:stream/consumers'
import { parseEmailAddress } from '#src/core/email-address.ts'

export const TYPED_ADDRESS = '- leser den fra standard inn, så andre på maskinen ikke ser den'

/**
 * What stands behind a command is seen by every user of the machine while it runs.
 *
 * @param given `-` is standard input
 * @throws InputError when it is no address
 */
export async function typedAddress(given: string): Promise<string> {
  return parseEmailAddress(given === '-' ? await text(process.stdin) : given)
}
