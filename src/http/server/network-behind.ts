import type { IncomingMessage } from 'node:http'
import { networkOf } from '#src/core/client-network.ts'

/**
 * The network of the last address no proxy of ours stands for (as Fastify has it).
 *
 * @param isProxy whether an address is a proxy's in front
 */
export function networkBehind(
  { socket, headers }: IncomingMessage,
  isProxy: (ip: string) => boolean,
): string {
  let ip = socket.remoteAddress ?? ''
  const passed = String(headers['x-forwarded-for'] ?? '').split(',')
  while (passed.length > 0 && isProxy(ip)) ip = passed.pop()?.trim() || ip
  return networkOf(ip)
}
