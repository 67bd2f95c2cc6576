import { isIP } from 'node:net'

/** What is wrong with an address that webhooks are to go to. */
export type AddressFault = 'ikke_adresse' | 'ikke_https' | 'port' | 'brukernavn' | 'ikke_navn' | 'for_lang'

const ADDRESS_LENGTH_MAX = 1000
const PORTS = ['', '443', '8443']

/**
 * Reads where webhooks are to go, as whoever gave it means it: https, one of two ports, a name, and nobody's password. Where the
 * name leads is looked at each time something is sent (`public-address.ts`); what is refused here is never looked for at all.
 *
 * @param named origins that whoever runs the service has named one by one; they may be anything
 * @returns the address as it will be used, without a fragment
 */
export function readEndpointAddress(
  text: string,
  named: readonly string[],
): { address: string } | { fault: AddressFault } {
  if (text.length > ADDRESS_LENGTH_MAX) return { fault: 'for_lang' }
  const url = URL.parse(text)
  if (url === null) return { fault: 'ikke_adresse' }
  url.hash = ''
  if (url.username !== '' || url.password !== '') return { fault: 'brukernavn' }
  if (url.href.length > ADDRESS_LENGTH_MAX) return { fault: 'for_lang' }
  if (named.includes(url.origin)) return { address: url.href }
  if (url.protocol !== 'https:') return { fault: 'ikke_https' }
  if (!PORTS.includes(url.port)) return { fault: 'port' }
  return isName(url.hostname) ? { address: url.href } : { fault: 'ikke_navn' }
}

/** Of somebody on the internet: not a number in any spelling, and not a name of one machine or network. */
function isName(host: string): boolean {
  return !host.startsWith('[') && isIP(host) === 0 && /^(?:[a-z0-9_-]{1,63}\.)+[a-z0-9-]{2,63}$/.test(host)
}

/** What is said of each to whoever gave it. */
export const addressFaults: Record<AddressFault, { norsk: string; english: string }> = {
  ikke_adresse: {
    norsk: 'adresse er ikke en nettadresse.',
    english: 'adresse is not a web address.',
  },
  ikke_https: { norsk: 'adresse må begynne med https://.', english: 'adresse has to begin with https://.' },
  port: { norsk: 'Porten må være 443 eller 8443.', english: 'The port has to be 443 or 8443.' },
  brukernavn: {
    norsk: 'adresse kan ikke ha brukernavn eller passord. Meldingene er signert.',
    english: 'adresse can not have a user name or a password. The messages are signed.',
  },
  ikke_navn: {
    norsk: 'Verten må være et navn som alle kan nå, ikke et tall og ikke et navn i et lukket nett.',
    english:
      'The host has to be a name that everybody can reach, not a number and not a name in a closed network.',
  },
  for_lang: { norsk: 'adresse er lengre enn 1000 tegn.', english: 'adresse is longer than 1000 characters.' },
}
