import type { Command } from 'commander'
import { readEnvironment } from '#config/environment.ts'
import { policy } from '#config/policy.ts'
import { systemClock } from '#src/core/clock.ts'
import { OppslagError } from '#src/core/errors.ts'
import { type CanaryReport, canaryReport, keepRun } from '#src/ops/canary/canary.ts'
import { newestCanaryRuns } from '#src/storage/canary-runs.ts'
import { askRegisters } from '#src/wiring/canary.ts'
import { interruptible } from './interruptible.ts'
import { aligned, print, printJson } from './output.ts'
import { withStorage } from './storage.ts'

/** `kanari`: whether the registers still answer in the shapes they are read by. */
export function addCanaryCommands(program: Command): void {
  program
    .command('kanari')
    .description(
      'Spør registrene om noen kjente foretak, og vis hva i svarenes form som er annet enn ventet eller enn sist',
    )
    .option('--siste', 'spør ingen; vis det som ble sett sist')
    .option('--json', 'skriv JSON')
    .action(look)
}

async function look({ siste, json }: { siste?: true; json?: true }): Promise<void> {
  const report = await withStorage(async ({ database }) => {
    if (siste === undefined) {
      const startet = systemClock.now()
      const resultat = await interruptible((signal) =>
        askRegisters(readEnvironment(process.env), {
          numbers: policy.canary.numbers,
          pauseMs: policy.canary.pauseMs,
          signal,
        }),
      )
      await keepRun(database, { natt: null, startet, ferdig: systemClock.now(), resultat }, policy.canary)
    }
    return canaryReport(await newestCanaryRuns(database, policy.canary.comparedMax))
  })
  if (json) printJson({ kanari: report })
  else if (report === null) print('Ingen har sett etter ennå: oppslag kanari, uten --siste.')
  else print(...linesOf(report))
  if (siste === undefined && report?.utenNett === true) throw new OppslagError('uten_nett', UNREACHED)
}

const UNREACHED = 'ingen av registrene kunne nås: er det nett herfra? Ingenting er sagt om formen.'

function linesOf({ ferdig, forrige, utenNett, kilder }: CanaryReport): string[] {
  return [
    ...(utenNett ? ['Ingen av registrene kunne nås.'] : []),
    `Sett ${ferdig.toISOString()}, sammenlignet med ${forrige?.toISOString() ?? 'ingen tidligere'}`,
    ...aligned([
      ['KILDE', 'SPURT', 'LEST', 'UTEN SVAR'],
      ...kilder.map(({ kilde, spurt, lest, feil }) => [
        kilde,
        String(spurt),
        String(lest),
        Object.entries(feil)
          .map(([failure, count]) => `${failure}: ${count}`)
          .join(', ') || '–',
      ]),
    ]),
    ...kilder.flatMap(({ kilde, skjema, siden }) => [
      ...told(kilde, 'siden sist', { ...siden }),
      ...told(kilde, 'mot skjemaet', skjema),
    ]),
  ]
}

function told(kilde: string, against: string, found: Record<string, string[]>): string[] {
  return Object.entries(found).flatMap(([what, lines]) =>
    lines.map((line) => `${kilde}, ${against}: ${what} ${line}`),
  )
}
