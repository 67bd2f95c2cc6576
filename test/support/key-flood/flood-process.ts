import { setTimeout as pause } from 'node:timers/promises'
import { Pool } from 'undici'
import { badKeys } from './bad-keys.ts'

/** Sends bad keys at a rate from twenty networks until its parent ends it; tells what it was answered when asked. */
const [origin = '', path = '', rate = '', victims = '[]'] = process.argv.slice(2)
const perSecond = Number(rate)
// A wrong key is told so a quarter of a second later: with fewer the flood would wait for its own answers.
const pool = new Pool(origin, { connections: 200 })
const bad = badKeys(JSON.parse(victims) as string[])
const answered: Record<string, number> = {}
let sent = 0
const BURST_MAX = 20
let waiting = 0

process.on('disconnect', () => process.exit())
process.on('message', () => process.send?.({ sent, waiting, answered }))
process.send?.({ begun: true })
for (const begun = performance.now(); ; await pause(5)) {
  const due = ((performance.now() - begun) / 1000) * perSecond
  // A flood, and no burst: what this process was late with it makes good little by little.
  const until = Math.min(due, sent + BURST_MAX)
  while (sent < until) void send()
}

async function send(): Promise<void> {
  const { kind, key } = bad.next().value
  const headers = {
    authorization: `Bearer ${key}`,
    'x-forwarded-for': `198.51.100.${Math.floor(sent / 7) % 20}`,
  }
  sent += 1
  waiting += 1
  const outcome = await pool
    .request({ method: 'GET', path, headers })
    .then((answer) => answer.body.dump().then(() => answer.statusCode))
    .catch(() => 'broken')
  waiting -= 1
  const name = `${kind}: ${outcome}`
  answered[name] = (answered[name] ?? 0) + 1
}
