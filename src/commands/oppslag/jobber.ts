import type { Command } from 'commander'
import { withCommandGround } from '#src/wiring/command.ts'
import { aligned, print, printJson } from './output.ts'

/** `jobber vis`: how deep the queues are. Single jobs are seen on the operators' side. */
export function addJobCommands(program: Command): void {
  program
    .command('jobber')
    .description('Køene')
    .helpCommand(false)
    .command('vis')
    .description('Vis hva som venter, er i gang, utsatt og mislykket')
    .option('--json', 'skriv JSON')
    .action(vis)
}

async function vis({ json }: { json?: true }): Promise<void> {
  const koer = await withCommandGround(process.env, (ground) => ground.depths())
  if (json) return printJson({ koer })
  print(
    ...aligned([
      ['FELT', 'VENTER', 'I GANG', 'UTSATT', 'MISLYKKET', 'PAUSE'],
      ...koer.map(({ lane, ...counts }) => [
        lane,
        ...[counts.waiting, counts.active, counts.delayed, counts.failed].map(String),
        counts.isPaused ? 'ja' : '–',
      ]),
    ]),
  )
}
