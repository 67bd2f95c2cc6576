import { eventually } from '../eventually.ts'
import type { TestPostgres } from '../postgres.ts'
import { LAST_WORDS } from './last-words.ts'

/** Every way in which PostgreSQL leaves those who use it. */
export const deaths = {
  'is killed': (postgres) => restart(postgres, 'SIGKILL'),
  'is stopped at once': (postgres) => restart(postgres, 'SIGQUIT'),
  'is stopped in order': (postgres) => restart(postgres, 'SIGINT'),
  'resets every connection': (postgres) => spoil(postgres, { kind: 'reset_peer', ms: 0 }),
  'breaks off right behind answers': (postgres) =>
    spoil(postgres, { kind: 'last_words', bytes: LAST_WORDS, oneOf: 8 }),
} as const satisfies Record<string, (postgres: TestPostgres) => Promise<void>>

async function restart(postgres: TestPostgres, signal: 'SIGKILL' | 'SIGQUIT' | 'SIGINT'): Promise<void> {
  await postgres.kill(signal)
  await postgres.start()
}

/** All who are connected, and some of those who come. */
async function spoil({ way }: TestPostgres, toxic: Parameters<typeof way.set>[0]): Promise<void> {
  const { taken } = way.connections
  way.set(toxic)
  await eventually('others have come in their place', () => way.connections.taken >= taken + SPOILED)
  way.set()
}

const SPOILED = 60
