import { policy } from '#config/policy.ts'
import { openStoredKeys } from '#src/access/stored-keys.ts'
import { createVerifier } from '#src/access/verify.ts'
import { createAnswers } from '#src/cache/answers.ts'
import { systemClock } from '#src/core/clock.ts'
import { isKeyOfHash } from '#src/core/key-hash.ts'
import { createLog } from '#src/core/log.ts'
import { createApp } from '#src/front/app.ts'
import type { Assembled } from '#src/record/assembled.ts'
import { activateKey } from '#src/storage/key-chain.ts'
import { createSandbox } from '#src/wiring/sandbox.ts'
import { closedPages, noBatches, noChanges, noNamedKeys, noPush, noSessions } from '../closed-pages.ts'
import { openTestPool } from '../test-pool.ts'

export type KeyFront = {
  origin: string
  /** What proving keys has cost so far. `argon2AtOnce` is the most there ever were. */
  cost: { lookups: number; argon2: number; argon2Done: number; argon2AtOnce: number }
  close(): Promise<void>
}

/** The front with the real proof of keys, counted, over a database; nothing lies behind it. It believes its proxy. */
export async function openKeyFront({
  databaseUrl,
  argon2WaitMs = policy.keys.argon2WaitMs,
  wrongAnswerMs = policy.keys.wrongAnswerMs,
}: {
  databaseUrl: string
  argon2WaitMs?: number
  wrongAnswerMs?: number
}): Promise<KeyFront> {
  const db = openTestPool(databaseUrl)
  const cost = { lookups: 0, argon2: 0, argon2Done: 0, argon2AtOnce: 0 }
  let atOnce = 0
  const verifier = createVerifier({
    miljo: 'test',
    findKeyById: openStoredKeys(
      {
        query(text, values) {
          cost.lookups += 1
          return db.query(text, values)
        },
      },
      policy.keys,
    ),
    activate: (id) => activateKey(db, id, systemClock.now()),
    async isRight(hash, token) {
      cost.argon2 += 1
      atOnce += 1
      cost.argon2AtOnce = Math.max(cost.argon2AtOnce, atOnce)
      try {
        return await isKeyOfHash(hash, token)
      } finally {
        atOnce -= 1
        cost.argon2Done += 1
      }
    },
    clock: systemClock,
    policy: { ...policy.keys, argon2WaitMs, wrongAnswerMs },
    onFault: () => {},
  })
  const app = await createApp({
    reader: {
      atHand: () => null,
      shared: () => null,
      read: nothing,
      readPart: nothing,
      waiting: () => 0,
    },
    many: { read: nothing, turn: () => null, erased: () => '', waiting: () => 0 },
    batches: noBatches,
    changes: noChanges,
    push: noPush,
    sandbox: createSandbox({ clock: systemClock, log: createLog({ level: 'silent', file: null }) }),
    sessions: noSessions,
    namedKeys: noNamedKeys,
    reconciliation: noSessions,
    search: { sok: nothing, forslag: nothing, finn: nothing, mayShow: () => true, toSn2025: () => [] },
    answers: createAnswers<Assembled>({ bytesMax: 1, answerBytesMax: 1, isTrusted: () => true }),
    shares: { holders: nothing, ownership: nothing },
    verifier,
    version: '0',
    readiness: async () => ({ klar: true, hindringer: [], mangler: [] }),
    status: nothing,
    isEnding: () => false,
    clock: systemClock,
    log: createLog({ level: 'silent', file: null }),
    policy: policy.http,
    trustProxy: ['127.0.0.1/32'],
    deprecations: [],
    publicUrl: () => 'http://127.0.0.1',
    pages: closedPages(),
  })
  return {
    origin: await app.listen({ port: 0, host: '127.0.0.1' }),
    cost,
    async close() {
      await app.close()
      await db.close()
    },
  }
}

function nothing(): never {
  throw new Error('nothing lies behind this front')
}
