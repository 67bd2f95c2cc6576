import { text } from 'node:stream/consumers'
import { parseEmailAddress, parseKeptAddress } from '#src/core/email-address.ts'

export const TYPED_ADDRESS = '- leser den fra standard inn, så andre på maskinen ikke ser den'

/**
 * What stands behind a command is seen by every user of the machine while it runs.
 *
 * @param given `-` is standard input
 * @throws InputError when it is no address
 */
export async function typedAddress(given: string): Promise<string> {
  return parseEmailAddress(await typed(given))
}

/** The same of one that may be kept already. */
export async function typedKeptAddress(given: string): Promise<string> {
  return parseKeptAddress(await typed(given))
}

async function typed(given: string): Promise<string> {
  return given === '-' ? text(process.stdin) : given
}
