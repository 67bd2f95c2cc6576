import type { Command } from 'commander'
import { systemClock } from '#src/core/clock.ts'
import { actOnRecord } from '#src/ops/deeds.ts'
import { withSearchGround } from '#src/wiring/search-command.ts'
import { byOf, type ReasonOptions, withReason } from './by.ts'
import { interruptible } from './interruptible.ts'
import { aligned, print, printJson } from './output.ts'

/** `sok vis`, `sok bygg`. */
export function addSearchCommands(program: Command): void {
  const group = program
    .command('sok')
    .description('Søkeindeksen: vis den, og bygg den på nytt')
    .helpCommand(false)
  group
    .command('vis')
    .description('Vis hvilken indeks som leses, hvor langt en ny er kommet, og hva som venter')
    .option('--json', 'skriv JSON')
    .action(vis)
  withReason(
    group
      .command('bygg')
      .description('Bygg indeksen av registerets totalbestand nå; en påbegynt fortsetter der den sluttet'),
  ).action(bygg)
}

async function vis({ json }: { json?: true }): Promise<void> {
  const { state, pending } = await withSearchGround(process.env, ({ read }) => read())
  const { live, build, failure } = state
  if (json) return printJson({ indeks: live, bygger: build, feil: failure, venter: pending })
  print(
    ...aligned([
      [
        'Indeks',
        live === null
          ? 'ingen; registeret spørres'
          : `bygget ${live.builtAt.toISOString()} på ${live.seconds} s: ${live.units} enheter, ${live.subUnits} underenheter, ${live.names} navn`,
      ],
      [
        'Bygger',
        build === null
          ? 'nei'
          : `${build.phase}: ${build.read} lest, ${build.unreadable} uleselige, sist ${build.movedAt.toISOString()}`,
      ],
      [
        'Endringer som venter',
        `${pending.waiting}${pending.oldest === null ? '' : `, eldste ${pending.oldest.toISOString()}`}`,
      ],
      ['Siste feil', failure === null ? 'ingen' : `${failure.text} ${failure.at.toISOString()}`],
    ]),
  )
}

async function bygg(options: ReasonOptions): Promise<void> {
  const { json } = options
  const intent = { ...byOf(options), handling: 'sok.bygg', gjelder: null }
  let phase = ''
  const outcome = await withSearchGround(process.env, ({ build, database: db }) =>
    interruptible((interrupted) =>
      actOnRecord({ db, clock: systemClock }, intent, () =>
        build(interrupted, (state) => {
          if (json || state.phase === phase) return
          phase = state.phase
          print(`${phase} …`)
        }),
      ),
    ),
  )
  if (json) return printJson({ utfall: outcome })
  print(
    outcome === 'opptatt'
      ? 'En annen prosess bygger indeksen nå; `oppslag sok vis` viser hvor langt den er kommet.'
      : 'Indeksen er bygget og leses nå.',
  )
}
