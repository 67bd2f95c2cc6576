import { BlockList, isIPv4 } from 'node:net'
import { describe, expect, it } from 'vitest'
import { readEndpointAddress } from '#src/push/endpoint-address.ts'
import { isSameAddress, publicAddress } from '#src/push/public-address.ts'
import { randomFrom } from '../support/random.ts'

describe('where a webhook may go (P124)', () => {
  it.each([
    '127.0.0.1',
    '127.255.255.254',
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '100.64.0.1',
    '100.100.100.200',
    '169.254.169.254',
    '168.63.129.16',
    '192.0.0.192',
    '192.0.2.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:a9fe:a9fe',
    '::ffff:10.0.0.1',
    '::127.0.0.1',
    '::a9fe:a9fe',
    '::ffff:0:127.0.0.1',
    '64:ff9b::127.0.0.1',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b::a00:1',
    '64:ff9b:1::8.8.8.8',
    '64:ff9b:1:ffff:ffff::a9fe:a9fe',
    '2002:7f00:1::',
    '2002:a9fe:a9fe::1',
    '2002:808:808::1',
    '2001:0:7f00:1::',
    '2001::1',
    '2001:db8::1',
    '2001:2::1',
    '2001:10::1',
    '3fff::1',
    '2a00:1450::5efe:127.0.0.1',
    '2a00:1450::200:5efe:10.0.0.1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fec0::1',
    'ff02::1',
    '100::1',
    '4000::1',
    '5f00::1',
    'fe80::1%lo',
    '2a00:1450::1%lo',
    '0177.0.0.1',
    '0x7f.0.0.1',
    '127.1',
    '2130706433',
    '8.8.8.8 ',
    '[2a00:1450::1]',
    'localhost',
    '',
  ])('P124: %s is nowhere to go', (address) => {
    expect(publicAddress(address)).toBe(null)
  })

  it('P124: an address of everybody is reached as itself, whatever it was wrapped in', () => {
    expect(publicAddress('8.8.8.8')).toBe('8.8.8.8')
    expect(publicAddress('::ffff:8.8.8.8')).toBe('8.8.8.8')
    expect(publicAddress('64:ff9b::8.8.8.8')).toBe('64:ff9b::808:808')
    expect(publicAddress('2a00:1450:400f:0:0:0:0:200e')).toBe('2a00:1450:400f::200e')
    expect(isSameAddress('::ffff:8.8.8.8', '8.8.8.8')).toBe(true)
    expect(isSameAddress('8.8.8.8', '8.8.4.4')).toBe(false)
    expect(isSameAddress('', '')).toBe(false)
  })

  it('P124: of 10,000 addresses made by chance, most of them near an edge, each is judged as the IANA registries judge it', () => {
    const random = randomFrom(20_261_122)
    const wrong: string[] = []
    let open = 0
    for (let n = 0; n < 10_000; n++) {
      const address = invented(random)
      const isOpen = publicAddress(address) !== null
      if (isOpen) open += 1
      if (isOpen !== oracle(address)) wrong.push(address)
    }
    expect(wrong).toEqual([])
    // Both answers are given often: a rule that says one thing always would be seen.
    expect(open).toBeGreaterThan(1000)
    expect(open).toBeLessThan(9000)
  })
})

describe('the address a customer gives (P124)', () => {
  it.each([
    ['http://mottaker.example/', 'ikke_https'],
    ['ftp://mottaker.example/', 'ikke_https'],
    ['https://mottaker.example:22/', 'port'],
    ['https://mottaker.example:80/', 'port'],
    ['https://kari@mottaker.example/', 'brukernavn'],
    ['https://kari:ord@mottaker.example/', 'brukernavn'],
    ['https://127.0.0.1/', 'ikke_navn'],
    ['https://127.1/', 'ikke_navn'],
    ['https://2130706433/', 'ikke_navn'],
    ['https://0x7f000001/', 'ikke_navn'],
    ['https://0177.0.0.1/', 'ikke_navn'],
    ['https://①②⑦.0.0.1/', 'ikke_navn'],
    ['https://8.8.8.8/', 'ikke_navn'],
    ['https://[::1]/', 'ikke_navn'],
    ['https://[::ffff:a9fe:a9fe]/', 'ikke_navn'],
    ['https://[64:ff9b::a9fe:a9fe]/', 'ikke_navn'],
    ['https://localhost/', 'ikke_navn'],
    ['https://localhost./', 'ikke_navn'],
    ['https://postgres/', 'ikke_navn'],
    ['https://mottaker.example./', 'ikke_navn'],
    ['mottaker.example', 'ikke_adresse'],
    ['', 'ikke_adresse'],
    [`https://mottaker.example/${'a'.repeat(1000)}`, 'for_lang'],
    [`https://mottaker.example/${'å'.repeat(400)}`, 'for_lang'],
  ])('P124: %s is refused at the door', (given, fault) => {
    expect(readEndpointAddress(given, [])).toEqual({ fault })
  })

  it('P124: https, one of two ports and a name are taken; a fragment goes nowhere', () => {
    const taken = (given: string) => readEndpointAddress(given, [])
    expect(taken('https://Mottaker.Example/krok?a=1#her')).toEqual({
      address: 'https://mottaker.example/krok?a=1',
    })
    expect(taken('https://mottaker.example:443/')).toEqual({ address: 'https://mottaker.example/' })
    expect(taken('https://mottaker.example:8443/')).toEqual({ address: 'https://mottaker.example:8443/' })
    expect(taken('https://blåbær.example/')).toEqual({ address: 'https://xn--blbr-roah.example/' })
  })

  it('P124: what the operator has named is open by its whole origin, and nothing beside it', () => {
    const named = ['http://127.0.0.1:9000']
    expect(readEndpointAddress('http://127.0.0.1:9000/krok', named)).toEqual({
      address: 'http://127.0.0.1:9000/krok',
    })
    expect(readEndpointAddress('http://127.0.0.1:9001/krok', named)).toEqual({ fault: 'ikke_https' })
    expect(readEndpointAddress('https://127.0.0.1:9000/krok', named)).toEqual({ fault: 'port' })
    expect(readEndpointAddress('http://localhost:9000/krok', named)).toEqual({ fault: 'ikke_https' })
    expect(readEndpointAddress('http://a:b@127.0.0.1:9000/', named)).toEqual({ fault: 'brukernavn' })
  })
})

/**
 * The same question answered from IANA's special-purpose registries, typed off by hand, by Node's own list: it shares no code and no
 * table with what it judges.
 */
function oracle(address: string): boolean {
  if (isIPv4(address)) return !closed4.check(address, 'ipv4')
  const groups = groupsOf(address)
  const low = `${(groups[6] ?? 0) >> 8}.${(groups[6] ?? 0) & 255}.${(groups[7] ?? 0) >> 8}.${(groups[7] ?? 0) & 255}`
  const isAllZero = (from: number, to: number) => groups.slice(from, to).every((group) => group === 0)
  if (isAllZero(0, 5) && groups[5] === 0xffff) return oracle(low)
  if (groups[0] === 0x64 && groups[1] === 0xff9b && isAllZero(2, 6)) return oracle(low)
  const isIsatap = groups[5] === 0x5efe && (groups[4] === 0 || groups[4] === 0x200)
  return given6.check(address, 'ipv6') && !closed6.check(address, 'ipv6') && !isIsatap
}

const closed4 = listOf('ipv4', [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
])
const given6 = listOf('ipv6', [['2000::', 3]])
const closed6 = listOf('ipv6', [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
])

function listOf(family: 'ipv4' | 'ipv6', subnets: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList()
  for (const [net, prefix] of subnets) list.addSubnet(net, prefix, family)
  return list
}

function groupsOf(address: string): number[] {
  const side = (text: string) =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16))
  const [before = '', after] = address.split('::')
  const first = side(before)
  const last = side(after ?? '')
  return [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last]
}

/** By chance, or a step beside the first or last of a network that means something, in one of the ways IPv4 is written in IPv6. */
function invented(random: () => number): string {
  const nets4 = [
    '0.0.0.0',
    '10.0.0.0',
    '10.255.255.255',
    '100.63.255.255',
    '100.64.0.0',
    '100.127.255.255',
    '100.128.0.0',
  ]
    .concat([
      '126.255.255.255',
      '127.0.0.1',
      '128.0.0.0',
      '168.63.129.15',
      '168.63.129.16',
      '169.253.255.255',
    ])
    .concat([
      '169.254.169.254',
      '169.255.0.0',
      '172.15.255.255',
      '172.16.0.0',
      '172.31.255.255',
      '172.32.0.0',
    ])
    .concat([
      '192.0.0.0',
      '192.0.1.0',
      '192.0.2.0',
      '192.0.3.0',
      '192.31.196.0',
      '192.52.193.0',
      '192.88.99.0',
    ])
    .concat(['192.167.255.255', '192.168.0.0', '192.169.0.0', '192.175.48.0', '198.17.255.255', '198.18.0.0'])
    .concat(['198.20.0.0', '198.51.100.0', '203.0.113.0', '223.255.255.255', '224.0.0.0', '239.255.255.255'])
    .concat(['240.0.0.0', '255.255.255.255', '8.8.8.8'])
  const heads6 = [
    '::',
    '2000::',
    '2001::',
    '2001:1ff:ffff::',
    '2001:200::',
    '2001:db8::',
    '2001:db9::',
    '2001:db7::',
  ]
    .concat([
      '2002::',
      '2003::',
      '2620:4f:8000::',
      '2620:4f:8001::',
      '2a00:1450::',
      '3ffe::',
      '3fff::',
      '3fff:fff::',
    ])
    .concat([
      '3fff:1000::',
      '1fff::',
      '4000::',
      '5f00::',
      '64:ff9b::',
      '64:ff9b:1::',
      '64:ff9b:0:1::',
      '100::',
    ])
    .concat([
      'fc00::',
      'fdff::',
      'fe80::',
      'fec0::',
      'ff02::',
      '2a00:1450:0:0:0:5efe::',
      '2a00:1450:0:0:200:5efe::',
    ])
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T
  const random32 = () => Math.floor(random() * 2 ** 32)
  const near4 = () => {
    const [a = 0, b = 0, c = 0, d = 0] = pick(nets4).split('.').map(Number)
    const number = ((a * 256 + b) * 256 + c) * 256 + d + Math.floor(random() * 5) - 2
    return (number + 2 ** 32) % 2 ** 32
  }
  const four = random() < 0.6 ? near4() : random32()
  const dotted = [24, 16, 8, 0].map((shift) => Math.floor(four / 2 ** shift) % 256).join('.')
  const high = Math.floor(four / 65_536).toString(16)
  const low = (four % 65_536).toString(16)
  const way = random()
  if (way < 0.35) return dotted
  if (way < 0.45) return `::ffff:${high}:${low}`
  if (way < 0.55) return `64:ff9b::${high}:${low}`
  if (way < 0.6) return `2002:${high}:${low}::1`
  const groups = groupsOf(pick(heads6))
  if (random() < 0.5) groups[7] = (groups[7] ?? 0) ^ Math.floor(random() * 65_536)
  if (random() < 0.3) groups[1] = (groups[1] ?? 0) ^ (1 << Math.floor(random() * 16))
  if (random() < 0.2) groups[0] = (groups[0] ?? 0) ^ (1 << Math.floor(random() * 16))
  return groups.map((group) => group.toString(16)).join(':')
}
