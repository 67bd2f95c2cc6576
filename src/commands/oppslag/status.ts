import type { Command } from 'commander'
import { endedByError } from '#src/ops/overview.ts'
import { withCommandGround } from '#src/wiring/command.ts'
import { aligned, print, printJson } from './output.ts'
import { checkStatus } from './status-sjekk.ts'

/**
 * `status`: is anything wrong? Exit code 0 also when something is, since the command did what it was asked; with `--sjekk` the
 * code is the answer.
 *
 * @param onVerdict is given that code
 */
export function addStatusCommand(program: Command, onVerdict: (code: number) => void): void {
  program
    .command('status')
    .description('Er noe galt? Kilder, køer, ordre, nøkler og prosesser')
    .option('--json', 'skriv JSON')
    .option('--sjekk', 'én linje for en overvåker; kode 0 i orden, 1 advarsel, 2 kritisk, 3 ukjent')
    .action(async (options: { json?: true; sjekk?: true }) => {
      if (!options.sjekk) return status(options)
      const { code, line } = await checkStatus(process.env)
      print(line)
      onVerdict(code)
    })
}

async function status({ json }: { json?: true }): Promise<void> {
  const seen = await withCommandGround(process.env, ({ overview }) => overview())
  if (json) return printJson(seen)
  const { galt, kilder, feeder, oppslag, treff, koer, salg, varsling, prosesser, prosessfeil } = seen
  print(...(galt.length === 0 ? ['Alt er i orden.'] : galt.map((each) => `GALT: ${each}`)), '')
  print(
    ...aligned([
      ['KILDE', 'BRYTER', 'KALL', 'GIKK BRA', 'P50 MS', 'P99 MS', 'SISTE SVAR'],
      ...kilder.map((each) => [
        each.kilde,
        each.bryter,
        String(each.kall),
        each.suksess === null ? '–' : `${(each.suksess * 100).toFixed(1)} %`,
        each.p50Ms === null ? '–' : String(Math.round(each.p50Ms)),
        each.p99Ms === null ? '–' : String(Math.round(each.p99Ms)),
        each.sistSvar ?? '–',
      ]),
    ]),
    '',
  )
  for (const { feed, etterslepMs } of feeder)
    print(
      `Feeden ${feed}: ${etterslepMs === null ? 'ukjent etterslep' : `${Math.round(etterslepMs / 1000)} s etter`}`,
    )
  const counted = oppslag.map(({ hentet, antall }) => `${hentet} ${antall}`).join(', ')
  print(`Treff i mellomlageret: ${treff === null ? '–' : `${(treff * 100).toFixed(1)} %`} (${counted}).`)
  print(
    koer === null
      ? 'Køen kan ikke nås.'
      : `Venter i køene: ${koer.map(({ lane, waiting, isPaused }) => `${lane} ${waiting}${isPaused ? ' (PÅ PAUSE)' : ''}`).join(', ')}`,
  )
  print(`Gyldige nøkler: ${salg.keysValid}. Ordre med alarm: ${salg.alarms}.`)
  print(
    `Endepunkter: ${varsling.endpoints}, ${varsling.failing} feiler, ${varsling.off} slått av. Endringer som venter på å sendes: ${varsling.waiting}, forsinket ${Math.round(varsling.oldestSeconds)} s.`,
  )
  for (const { id, slag, versjon, rapport } of prosesser)
    print(
      `${slag} ${id.slice(0, 8)}, versjon ${versjon}, ${rapport?.klar ? 'klar' : 'ikke klar'}, ${rapport?.adresse ?? 'ukjent driftsside'}`,
    )
  const { antall, siste } = prosessfeil
  print(siste === null ? 'Ingen prosess har endt av en feil.' : `Siste av ${antall}: ${endedByError(siste)}`)
}
