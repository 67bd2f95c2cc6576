import { expect, test } from 'vitest'
import { createNetworkList, networkOf } from '#src/core/client-network.ts'

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:12:3456::1', '2001:db8:12::/48'],
  ['2001:0DB8:0012:ffff:1:2:3:4', '2001:db8:12::/48'],
  ['2001:db8::1', '2001:db8:0::/48'],
  ['fe80::1%eth0', 'fe80:0:0::/48'],
  ['::1', '0:0:0::/48'],
  ['::ffff:c000:207', '192.0.2.7'],
  ['64:ff9b::c000:207', '192.0.2.7'],
  ['64:ff9b::192.0.2.7', '192.0.2.7'],
  ['0:0:0:0:0:FFFF:192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7%eth0', '192.0.2.7'],
  ['0064:ff9b:0::c000:0207', '192.0.2.7'],
  ['64:ff9b:1::c000:207', '64:ff9b:1::/48'],
  ['2001:db8::192.0.2.7', '2001:db8:0::/48'],
  ['', ''],
])('%s belongs to %s', (ip, network) => {
  expect(networkOf(ip)).toBe(network)
})

test('P43: attack: who comes by a proxy that passes on ports is one client, however many connections they have', () => {
  const ports = Array.from({ length: 200 }, (_, port) => 40_000 + port)
  expect(new Set(ports.map((port) => networkOf(`192.0.2.7:${port}`)))).toEqual(new Set(['192.0.2.7']))
  expect(new Set(ports.map((port) => networkOf(`[2001:db8:12::7]:${port}`)))).toEqual(
    new Set(['2001:db8:12::/48']),
  )
})

test('P43: attack: those of version 4 are not all one client where a proxy writes each in a spelling of its own', () => {
  const spellings = (last: number) => [
    `::ffff:192.0.2.${last}`,
    `::FFFF:c000:2${last.toString(16).padStart(2, '0')}`,
    `0:0:0:0:0:ffff:192.0.2.${last}`,
    `0000:0000:0000:0000:0000:ffff:c000:02${last.toString(16).padStart(2, '0')}`,
    `[0:0::ffff:192.0.2.${last}]:4711`,
    `64:ff9b:0:0:0:0:c000:2${last.toString(16).padStart(2, '0')}`,
  ]
  for (const last of [7, 8, 255])
    expect(new Set(spellings(last).map(networkOf))).toEqual(new Set([`192.0.2.${last}`]))
})

test.each([
  ['10.1.2.3', true],
  ['10.1.2.3:4711', true],
  ['[2001:db8::7]:4711', true],
  ['11.1.2.3:4711', false],
  ['::ffff:10.1.2.3', true],
  ['11.1.2.3', false],
  ['192.0.2.7', true],
  ['192.0.2.8', false],
  ['2001:db8::7', true],
  ['2001:db9::7', false],
  ['nobody', false],
  ['', false],
])('%s is among the networks: %s', (ip, isAmong) => {
  expect(createNetworkList(['10.0.0.0/8', '192.0.2.7', '2001:db8::/32'])(ip)).toBe(isAmong)
})

test.each(['10.0.0/8', '10.0.0.0/33', '10.0.0.0/x', 'all'])('%s is no network', (network) => {
  expect(() => createNetworkList([network])).toThrow()
})
