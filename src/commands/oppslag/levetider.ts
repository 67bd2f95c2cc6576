import type { Command } from 'commander'
import { InputError } from '#src/core/errors.ts'
import { readAmount } from '#src/ops/amount.ts'
import type { Tunable } from '#src/ops/tunables.ts'
import { withCommandGround } from '#src/wiring/command.ts'
import { byOf, type ReasonOptions, withReason } from './by.ts'
import { aligned, print, printJson } from './output.ts'

const AMOUNT =
  'sekunder, eller en tid som 14 d, 12 t eller 30 min; for .kall: kall i sekundet, som 5 eller 0,5'

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
    .argument('<verdi>', AMOUNT)
    .option('--json', 'skriv JSON')
    .action(beregn)
  withReason(
    group
      .command('sett')
      .description('Sett en verdi, i alle prosesser innen et sekund')
      .argument('<navn>', 'som i `levetider vis`')
      .argument('<verdi>', `${AMOUNT}; "standard" for programmets egen`)
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
  const { current, isBroken, newest, history } = state
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
    ...history.map(({ versjon, satt, hvem, hvorfor, verdier }) => {
      const unusable = verdier === null ? ', kan ikke brukes' : ''
      return `  ${satt?.toISOString() ?? '–'}  versjon ${versjon}${unusable}, ${hvem}: ${hvorfor}`
    }),
  )
}

async function beregn(navn: string, verdi: string, { json }: { json?: true }): Promise<void> {
  const value = readAmount(verdi)
  const cost = await withCommandGround(process.env, ({ cost, tunables }) =>
    cost(readName(navn, tunables), value),
  )
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
  const value = verdi === 'standard' ? null : readAmount(verdi)
  const version = await withCommandGround(process.env, async ({ steering, tuning, tunables }) => {
    const name = readName(navn, tunables)
    const base = options.versjon === undefined ? (await tuning()).newest : readVersion(options.versjon)
    return steering.tune(byOf(options), base, { [name]: value })
  })
  if (options.json) return printJson(version)
  print(`Versjon ${version.versjon} gjelder i alle prosesser innen et sekund.`)
}

async function rullTilbake(options: ReasonOptions & { versjon?: string }): Promise<void> {
  const version = await withCommandGround(process.env, async ({ steering, tuning }) => {
    const base = options.versjon === undefined ? (await tuning()).newest : readVersion(options.versjon)
    return steering.rollBack(byOf(options), base)
  })
  if (options.json) return printJson(version)
  print(`Versjon ${version.versjon} gjelder: det som gjaldt før forrige endring.`)
}

/** Before anything is begun: what was typed instead of a name stands in no trail. @throws InputError */
function readName(typed: string, tunables: readonly Tunable[]): string {
  const names = tunables.map(({ name }) => name)
  const name = names.find((each) => each === typed)
  if (name !== undefined) return name
  throw new InputError('ukjent_verdi', 'navn', {
    norsk: `Dette kan stilles: ${names.join(', ')}.`,
    english: `These can be tuned: ${names.join(', ')}.`,
  })
}

/** @throws InputError */
function readVersion(text: string): number {
  if (/^[0-9]{1,9}$/.test(text)) return Number(text)
  throw new InputError('ugyldig_versjon', 'versjon', {
    norsk: '--versjon er et helt tall, som i `levetider vis`.',
    english: '--versjon is a whole number, as in `levetider vis`.',
  })
}

function share(value: number | null): string {
  return value === null ? '–' : `${(value * 100).toFixed(1)} %`
}
