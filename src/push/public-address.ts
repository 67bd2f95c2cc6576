import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * The address to connect to, when anybody on the internet may be reached there; null for every other. An IPv4 address that is
 * written in an IPv6 one is judged as what it is (RFC 4291, 2.5.5.2; RFC 6052, 2.1), whatever it was wrapped in.
 *
 * Of IPv6 only the part that is given out counts (2000::/3), so what no list has heard of yet is refused. 6to4, Teredo and ISATAP
 * carry IPv4 addresses of their own choosing to relays that nobody runs any more, and are refused whole.
 *
 * @param text as DNS or a socket says it: no other spelling is understood, since others may read it as another address
 */
export function publicAddress(text: string): string | null {
  if (isIP(text) === 0 || text.includes('%')) return null
  const address = ipaddr.parse(text)
  if (address instanceof ipaddr.IPv4) return isPublicIPv4(address) ? address.toString() : null
  if (address.isIPv4MappedAddress()) return publicAddress(address.toIPv4Address().toString())
  if (address.match(NAT64)) {
    const inside = ipaddr.fromByteArray(address.toByteArray().slice(-4)) as ipaddr.IPv4
    return isPublicIPv4(inside) ? address.toString() : null
  }
  const isGiven = address.range() === 'unicast' && address.match(GIVEN_OUT) && !isIsatap(address)
  return isGiven ? address.toString() : null
}

/** Whether two spellings are of one address; a socket may say an IPv4 address as an IPv6 one. */
export function isSameAddress(one: string, other: string): boolean {
  return (
    isIP(one) !== 0 &&
    isIP(other) !== 0 &&
    ipaddr.process(one).toNormalizedString() === ipaddr.process(other).toNormalizedString()
  )
}

const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')
const GIVEN_OUT = ipaddr.IPv6.parseCIDR('2000::/3')
/** Public by the book, and answered by the host a virtual machine runs on (Azure's). */
const HOSTS_OF_MACHINES = ['168.63.129.16']

function isPublicIPv4(address: ipaddr.IPv4): boolean {
  return address.range() === 'unicast' && !HOSTS_OF_MACHINES.includes(address.toString())
}

/** RFC 5214, 6.1. */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  return ((parts[4] ?? 0) & 0xfdff) === 0 && parts[5] === 0x5efe
}
