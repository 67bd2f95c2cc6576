import { BlockList, isIP, isIPv6, SocketAddress } from 'node:net'

/**
 * What one client is given: an address of version 4, also where it is written as one of version 6, and of version 6 the site's prefix
 * of 48 bits. Some proxies pass on the port besides: with it each connection would be another client.
 */
export function networkOf(given: string): string {
  const ip = withoutPort(given)
  if (!isIPv6(ip)) return ip
  // One form, however it is written, without the zone.
  const [bare = ''] = ip.split('%', 1)
  const { address } = new SocketAddress({ address: bare, family: 'ipv6' })
  const [, dotted, high, low] = VERSION_4_WITHIN.exec(address) ?? []
  if (dotted !== undefined) return dotted
  if (high !== undefined && low !== undefined) return [...bytesOf(high), ...bytesOf(low)].join('.')
  const [head = '', tail] = address.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? [] : Array(Math.max(0, 8 - before.length - after.length)).fill('0')
  return `${[...before, ...zeros, ...after].slice(0, 3).join(':')}::/48`
}

/**
 * Asks whether an address is in one of these networks (`10.0.0.0/8`, or an address alone). An address of version 4 that is
 * written as one of version 6 is the same address.
 *
 * @throws Error when one is no network
 */
export function createNetworkList(networks: readonly string[]): (ip: string) => boolean {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    const family = familyOf(address)
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return (given) => {
    const ip = withoutPort(given)
    return isIP(ip) !== 0 && list.check(ip, familyOf(ip))
  }
}

/**
 * The address of who comes by a Unix socket, which has none: of nobody who comes by a port (RFC 1122, 3.2.1.3).
 */
export const BY_SOCKET = '0.0.0.0'

/** `192.0.2.7:4711`, `[2001:db8::7]:4711`. */
function withoutPort(given: string): string {
  const [, within, alone] = WITH_PORT.exec(given) ?? []
  return within ?? alone ?? given
}

const WITH_PORT = /^(?:\[([^\]]+)\](?::\d+)?|([^:]+):\d+)$/

/** Mapped (RFC 4291, 2.5.5.2), or as a translator in front writes all of its clients (RFC 6052, 2.1): dotted, or in two groups. */
const VERSION_4_WITHIN = /^(?:::ffff:|64:ff9b::)(?:(\d+\.\d+\.\d+\.\d+)|([0-9a-f]{1,4}):([0-9a-f]{1,4}))$/

function bytesOf(group: string): number[] {
  const number = Number.parseInt(group, 16)
  return [number >> 8, number & 255]
}

function familyOf(ip: string): 'ipv4' | 'ipv6' {
  return isIPv6(ip) ? 'ipv6' : 'ipv4'
}
