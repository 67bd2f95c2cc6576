import type { Command } from 'commander'
import { withSearchGround } from '#src/wiring/search-command.ts'
import { aligned, print, printJson } from './output.ts'

/** `sok status`, `sok bygg`. */
export function addSearchCommands(program: Command): void {
  const group = program
    .command('sok')
    .description('Søkeindeksen: status, og bygg den på nytt')
    .helpCommand(false)
  group
    .command('status')
    .description('Hvilken indeks som leses, hvor langt en ny er kommet, og hva som venter')
    .option('--json', 'skriv JSON')
    .action(status)
  group
    .command('bygg')
    .description('Bygg indeksen av registerets totalbestand nå; en påbegynt fortsetter der den sluttet')
    .option('--json', 'skriv JSON')
    .action(bygg)
}

async function status({ json }: { json?: true }): Promise<void> {
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

async function bygg({ json }: { json?: true }): Promise<void> {
  const ended = new AbortController()
  const end = () => ended.abort()
  process.once('SIGINT', end)
  process.once('SIGTERM', end)
  let phase = ''
  try {
    const outcome = await withSearchGround(process.env, ({ build }) =>
      build(ended.signal, (state) => {
        if (json || state.phase === phase) return
        phase = state.phase
        print(`${phase} …`)
      }),
    )
    if (json) return printJson({ utfall: outcome })
    print(
      outcome === 'opptatt'
        ? 'En annen prosess bygger indeksen nå; `oppslag sok status` viser hvor langt den er kommet.'
        : 'Indeksen er bygget og leses nå.',
    )
  } finally {
    process.off('SIGINT', end)
    process.off('SIGTERM', end)
  }
}
