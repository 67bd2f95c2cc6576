import { createPace } from '#src/core/pace.ts'
import { createTurns, RANK } from '#src/core/turns.ts'
import { type AskRegister, askOf } from './ask.ts'
import type { Source, Sparing } from './descriptor.ts'
import type { RegisterClient } from './register-client.ts'
import { NOBODYS_TURN, SourceError } from './source.ts'

type Options = Pick<Sparing, 'inFlightMax' | 'waitMs' | 'deadlineMs'> & {
  enabled: boolean
  /** A function is asked for each call: it may be changed while the service runs. */
  callsPerSecond: number | (() => number)
  savedMax?: number | null
}

/**
 * The same for what is to be asked sparingly: so many calls a second and so many at once, and none while it is switched off.
 * What is above it waits for its turn, for as long as the call may.
 *
 * @throws SourceError also `avslatt` when switched off, `budsjett_brukt` when its turn did not come in time
 */
export function askSparingly<Value>(
  source: Source<string, Value>,
  client: RegisterClient,
  options: Options,
): AskRegister<Value> {
  const ask = askOf(source, client)
  const given = options.callsPerSecond
  const callsPerSecond = () => (typeof given === 'number' ? given : given())
  const pace = createPace({ perSecond: callsPerSecond, savedMax: options.savedMax ?? null })
  const turns = createTurns({
    atOnce: options.inFlightMax,
    atOnceForOne: Math.max(1, options.inFlightMax - 1),
    waitingMax: () => Math.ceil((callsPerSecond() * options.waitMs) / 1000),
    // Who comes last leaves one call at hand for whoever comes next (P93).
    waitMs: ({ rank }) => pace(rank >= RANK.many ? 1 : 0),
  })

  return async (orgnr, call) => {
    if (!options.enabled) throw new SourceError(source.name, 'avslatt', 'switched off by configuration')
    let isAsked = false
    call.noteWait?.(true)
    try {
      return await turns.run(
        call.turn ?? NOBODYS_TURN,
        () => {
          isAsked = true
          const signal = AbortSignal.any([call.signal, AbortSignal.timeout(options.deadlineMs)])
          return ask(orgnr, { ...call, signal })
        },
        call.signal,
      )
    } catch (cause) {
      if (isAsked) throw cause
      const message = 'our own ceiling on calls to this source is reached'
      throw new SourceError(source.name, 'budsjett_brukt', message, { cause })
    }
  }
}
