import type { Command } from 'commander'
import { InputError } from '#src/core/errors.ts'
import { withCommandGround } from '#src/wiring/command.ts'
import { byOf, type ReasonOptions, withReason } from './by.ts'
import { aligned, print, printJson } from './output.ts'

/** `levetider vis`, `levetider beregn`, `levetider sett`, `levetider rull-tilbake`. */
export function addLifetimeCommands(program: Command): void {
  const group = program
    .command('levetider')
    .description('Levetider og budsjett: vis, beregn, sett, rull tilbake')
    .helpCommand(false)
  group
    .command('vis')
    .description('Vis det som gjelder, og de siste endringene')
    .option('--json', 'skriv JSON')
    .action(vis)
  group
    .command('beregn')
    .description('Hva det siste døgnet ville kostet med en annen verdi')
    .argument('<navn>', 'som i `levetider vis`')
    .argument('<verdi>', 'sekunder, eller kall i sekundet')
    .option('--json', 'skriv JSON')
    .action(beregn)
  withReason(
    group
      .command('sett')
      .description('Sett en verdi, i alle prosesser innen et sekund')
      .argument('<navn>', 'som i `levetider vis`')
      .argument('<verdi>', 'sekunder eller kall i sekundet; "standard" for programmets egen')
      .option('--versjon <nummer>', 'versjonen du så på; ellers den nyeste'),
  ).action(sett)
  withReason(
    group
      .command('rull-tilbake')
      .description('Det som gjaldt før den nyeste endringen, gjelder igjen')
      .option('--versjon <nummer>', 'versjonen du så på; ellers den nyeste'),
  ).action(rullTilbake)
}

async function vis({ json }: { json?: true }): Promise<void> {
  const { state, tunables } = await withCommandGround(process.env, async (ground) => ({
    state: await ground.tuning(),
    tunables: ground.tunables,
  }))
  const { current, isBroken, newest } = state
  if (json) return printJson({ ...state, kanStilles: tunables })
  if (isBroken) print(`Versjon ${newest} kan ikke brukes. Versjon ${current.versjon} gjelder.`, '')
  print(
    ...aligned([
      ['NAVN', 'NÅ', 'PROGRAMMETS', 'FRA', 'TIL', 'ENHET'],
      ...tunables.map(({ name, standard, least, most, unit }) => [
        name,
        `${current.verdier[name] ?? standard}${current.verdier[name] === undefined ? '' : ' *'}`,
        String(standard),
        String(least),
        String(most),
        unit,
      ]),
    ]),
    '',
    current.versjon === 0
      ? 'Ingenting er stilt.'
      : `Versjon ${current.versjon}, satt av ${current.hvem}: ${current.hvorfor}`,
  )
}

async function beregn(navn: string, verdi: string, { json }: { json?: true }): Promise<void> {
  const cost = await withCommandGround(process.env, ({ cost }) => cost(navn, wholeOf(verdi)))
  if (json) return printJson(cost)
  if (cost.estimates.length === 0) return print('Et budsjett endrer ikke hvor mange kall levetidene krever.')
  print(`Målt i ${cost.hours.toFixed(1)} timer:`)
  for (const {
    kilde,
    callsNow,
    callsProposed,
    olderThanS,
    shareOlderNow,
    shareOlderProposed,
  } of cost.estimates) {
    print(
      `${kilde}: ${callsNow} → ${callsProposed} kall i døgnet; andel svar eldre enn ${olderThanS} s: ${share(shareOlderNow)} → ${share(shareOlderProposed)}`,
    )
  }
}

async function sett(
  navn: string,
  verdi: string,
  options: ReasonOptions & { versjon?: string },
): Promise<void> {
  const value = verdi === 'standard' ? null : wholeOf(verdi)
  const version = await withCommandGround(process.env, async ({ steering, tuning }) => {
    const base = options.versjon === undefined ? (await tuning()).newest : wholeOf(options.versjon)
    return steering.tune(byOf(options), base, { [navn]: value })
  })
  if (options.json) return printJson(version)
  print(`Versjon ${version.versjon} gjelder i alle prosesser innen et sekund.`)
}

async function rullTilbake(options: ReasonOptions & { versjon?: string }): Promise<void> {
  const version = await withCommandGround(process.env, async ({ steering, tuning }) => {
    const base = options.versjon === undefined ? (await tuning()).newest : wholeOf(options.versjon)
    return steering.rollBack(byOf(options), base)
  })
  if (options.json) return printJson(version)
  print(`Versjon ${version.versjon} gjelder: det som gjaldt før forrige endring.`)
}

function wholeOf(text: string): number {
  if (/^[0-9]{1,9}$/.test(text)) return Number(text)
  throw new InputError('ugyldig_tall', 'verdi', {
    norsk: 'Verdien er et helt tall.',
    english: 'The value is a whole number.',
  })
}

function share(value: number | null): string {
  return value === null ? '–' : `${(value * 100).toFixed(1)} %`
}
