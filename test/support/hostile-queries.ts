import fc from 'fast-check'
import { Agent } from 'undici'

/** What somebody may type who wishes the search ill, or pastes from anywhere: the same ones for the same seed. */
function hostileQueries(seed: number, count: number): string[] {
  return fc.sample(query(), { seed, numRuns: count })
}

const PATHS = ['/api/bedrift/sok?q=', '/api/bedrift/forslag?q=', '/api/bedrift/finn?navn='] as const
const AT_ONCE = 8
/** Answered; not understood; too long for an address or for a head. */
const ANSWERS = new Set([200, 400, 414, 431])

/** Asks so many, in each way of asking in turn. @returns those that were a fault of the service's own, and how long each took */
export async function askHostile(
  origin: string,
  { token, count }: { token: string; count: number },
): Promise<{ faults: string[]; statuses: Record<number, number>; timesMs: number[] }> {
  const agent = new Agent({ connections: AT_ONCE })
  const queue = hostileQueries(20_261_122, count).entries()
  const faults: string[] = []
  const statuses: Record<number, number> = {}
  const timesMs: number[] = []
  async function askOn(): Promise<void> {
    for (const [index, q] of queue) {
      const path = `${PATHS[index % PATHS.length]}${q}`
      const begun = performance.now()
      const { statusCode, body } = await agent.request({
        origin,
        path,
        method: 'GET',
        headers: { authorization: `Bearer ${token}` },
      })
      const text = await body.text()
      timesMs.push(performance.now() - begun)
      statuses[statusCode] = (statuses[statusCode] ?? 0) + 1
      if (!ANSWERS.has(statusCode)) faults.push(`${statusCode} ${path} ${text.slice(0, 300)}`)
    }
  }
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, askOn))
  } finally {
    await agent.close()
  }
  return { faults, statuses, timesMs: timesMs.sort((a, b) => a - b) }
}

/** As it stands in the address. */
function query(): fc.Arbitrary<string> {
  const word = fc.constantFrom(
    'tindevåg',
    'sjømat',
    'as',
    'holding',
    'TINDEVÅG SJØMAT AS',
    '999',
    'og',
    'å',
    'ﬀ',
    'ß',
  )
  const sign = fc.constantFrom(
    ...'%_\\*?\'"`;:,.-+/&|!<>()[]{}^~$#@=\t',
    '\0',
    '\u0001',
    '\u200b',
    '\u202e',
    '\u2066',
    '\ufeff',
    '\ud800',
    '\u0301',
    '\u0307',
    '﷽',
    '𒐫',
    '👩‍👩‍👧‍👦',
    'ﷺ',
    'ａ',
    '\u3000',
    '--',
    '%%',
    '&*',
    ':*',
    '!!',
    "' or 1=1 --",
    '<->',
    '$$',
  )
  const any = fc.string({ unit: 'grapheme', maxLength: 180 })
  const long = fc
    .tuple(
      fc.constantFrom('W', 'å', 'ﷺ', 'Ａ', '👩‍👩‍👧‍👦', 'a ', 'as ', '% ', 'ab', '\u0301', '1'),
      fc.integer({ min: 20, max: 400 }),
    )
    .map(([unit, times]) => unit.repeat(times))
  const mixed = fc.array(fc.oneof(word, sign), { minLength: 1, maxLength: 40 }).map((parts) => parts.join(''))
  const spaced = fc
    .array(fc.oneof(word, sign), { minLength: 1, maxLength: 40 })
    .map((parts) => parts.join(' '))
  const bytes = fc
    .array(fc.integer({ min: 0, max: 255 }), { minLength: 1, maxLength: 60 })
    .map((all) => all.map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''))
  const broken = fc.constantFrom('%', '%f', '%zz', '%c3%28', '%ed%a0%80', '%f4%90%80%80', '%00', '%25%32%35')
  // A lone half of a pair has no encoding.
  const text = fc.oneof(word, any, long, mixed, spaced).map((q) => encodeURIComponent(q.toWellFormed()))
  // Refused by two of the three ways of asking.
  const name = fc.constantFrom(
    'size',
    'etter',
    'kommune',
    'naeringskode',
    'ansatteFra',
    'registrertFra',
    'type',
    '__proto__',
    'q',
  )
  const value = fc.oneof(
    text,
    fc.constantFrom('-1', '1e3', '9'.repeat(30), '0000-00-00', 'WzEsMSwieCIsIngiXQ', '%00', '[]'),
  )
  const more = fc.option(fc.tuple(name, value), { freq: 4, nil: null })
  return fc
    .tuple(fc.oneof({ weight: 5, arbitrary: text }, bytes, broken), more)
    .map(([q, also]) => (also === null ? q : `${q}&${also.join('=')}`))
}
