import { policy } from '#config/policy.ts'
import { createVerifier } from '#src/access/verify.ts'
import { activateKey } from '#src/storage/key-chain.ts'
import { followKeyChanges } from '#src/storage/key-changes.ts'
import { findKeyById } from '#src/storage/keys.ts'
import { openTestPool } from '#test/support/test-pool.ts'

/** What the parent may ask of it, and what it says. */
export type Asked = { verify: string } | { advanceMs: number }
export type Said = { verdict: string } | { advanced: true } | { heard: string }

/**
 * A process that knows keys, with the shipped policy and a clock the parent moves. It asks PostgreSQL at one address and
 * hears of changes at another.
 */
const [databaseUrl = '', changesUrl = ''] = process.argv.slice(2)
let aheadMs = 0
const clock = { now: () => new Date(Date.now() + aheadMs) }
const db = openTestPool(databaseUrl, 2)
const verifier = createVerifier({
  miljo: 'test',
  findKeyById: (id) => findKeyById(db, id),
  activate: (id) => activateKey(db, id, clock.now()),
  clock,
  policy: { ...policy.keys, argon2WaitMs: 60_000 },
  onFault: () => {},
})
followKeyChanges({
  url: changesUrl,
  onChange(id) {
    verifier.forget(id)
    say({ heard: id })
  },
  onSessionEnded() {},
  retryMs: 50,
  heartbeatMs: 5000,
})

process.on('disconnect', () => process.exit())
process.on('message', (asked: Asked) => void answer(asked))

async function answer(asked: Asked): Promise<void> {
  if ('advanceMs' in asked) {
    aheadMs += asked.advanceMs
    say({ advanced: true })
    return
  }
  const verdict = await verifier.verify(asked.verify)
  say({ verdict: verdict.ok ? 'ok' : verdict.why })
}

function say(said: Said): void {
  process.send?.(said)
}
