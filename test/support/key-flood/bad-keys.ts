import { mintKey } from '#src/core/api-key.ts'
import { forgeKey } from '../forged-key.ts'

const badKeyKinds = ['malformed', 'bad checksum', 'unknown id', 'wrong secret'] as const
export type BadKeyKind = (typeof badKeyKinds)[number]

/** One bad key after the other without end, each kind in turn and none twice; wrong secrets are for the victims in turn. */
export function* badKeys(victims: readonly string[]): Generator<{ kind: BadKeyKind; key: string }, never> {
  for (let number = 0; ; number += 1) {
    const { token } = mintKey('test')
    yield { kind: 'malformed', key: token.slice(0, 40 + (number % 20)) }
    yield { kind: 'bad checksum', key: token.slice(0, -1) + (token.endsWith('a') ? 'b' : 'a') }
    yield { kind: 'unknown id', key: token }
    yield { kind: 'wrong secret', key: forgeKey(victims[number % victims.length] ?? token) }
  }
}
