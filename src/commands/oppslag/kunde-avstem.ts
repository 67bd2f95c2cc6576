import { readFile, stat } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import { readEnvironment } from '#config/environment.ts'
import { policy } from '#config/policy.ts'
import { systemClock } from '#src/core/clock.ts'
import { InputError, OppslagError } from '#src/core/errors.ts'
import { kroner } from '#src/core/kroner.ts'
import { createLog } from '#src/core/log.ts'
import { norwegianDay } from '#src/core/norwegian-time.ts'
import { DAY_MS } from '#src/core/units.ts'
import { actOnRecord } from '#src/ops/deeds.ts'
import {
  type DifferenceCode,
  type Discrepancy,
  PAYMENTS_MAX,
  type Reconciliation,
  reconcile,
} from '#src/sales/reconcile.ts'
import { readSettlementFile, SETTLEMENT_FILE_BYTES_MAX } from '#src/sales/settlement-file.ts'
import type { Vipps } from '#src/vipps/client.ts'
import { VippsError } from '#src/vipps/errors.ts'
import { createOpened } from '#src/wiring/opened.ts'
import { openVipps } from '#src/wiring/sales.ts'
import { byOf, type ReasonOptions, withReason } from './by.ts'
import { requireFile } from './input-file.ts'
import { aligned, print, printJson } from './output.ts'
import { withStorage } from './storage.ts'

/**
 * `kunde avstem`.
 *
 * @param judge told the exit code: 0 when orders and payments go together, 1 when something differs
 */
export function addReconcileCommand(group: Command, judge: (code: number) => void): void {
  withReason(
    group
      .command('avstem')
      .description('Sammenlign ordrene her med betalingene hos Vipps, for eksempel etter en gjenoppretting')
      .option('--fra <dato>', 'ordrer fra og med denne datoen (ÅÅÅÅ-MM-DD); ellers de siste 30 dagene')
      .addOption(
        new Option(
          '--fil <fil>',
          'oppgjørsrapporten fra Vipps’ portal (CSV), eller én referanse på hver linje',
        ),
      )
      .addOption(
        new Option(
          '--rapport',
          'hent Vipps’ egne oppgjør for dagene (Report API; finnes ikke i Vipps’ testmiljø)',
        ),
      ),
  ).action(async (options: Options) => judge(await avstem(options)))
}

type Options = ReasonOptions & { fra?: string; fil?: string; rapport?: true }

async function avstem(options: Options): Promise<number> {
  const inFile = options.fil === undefined ? [] : await referencesIn(options.fil)
  const { told, open, since } = await withVipps((vipps, merchant, signal) =>
    withStorage(({ database: db, clock, salesClock }) =>
      actOnRecord(
        { db, clock },
        { ...byOf(options), handling: 'kunde.avstem', gjelder: null },
        async () => {
          // As orders are dated: by a clock of this machine that is ahead all of them would be too old to be looked at.
          const now = salesClock.now()
          const since =
            options.fra === undefined ? new Date(now.getTime() - 30 * DAY_MS) : readDay(options.fra, now)
          const { references, open } = options.rapport
            ? await settledSince(vipps, since, now, signal)
            : { references: [], open: [] }
          const ground = { db, vipps, merchant, policy: policy.sales, signal }
          const told = await reconcile(ground, { since, listed: [...inFile, ...references] })
          return { told, open, since }
        },
        ({ told }) => ({
          gjelder: `${told.sett} betalinger, ${told.avvik.length} avvik`,
          ...(told.avvik.length === 0 ? {} : { utfall: 'avvik_funnet' }),
        }),
      ),
    ),
  )
  const hasList = options.fil !== undefined || options.rapport === true
  if (options.json)
    printJson({ fra: since.toISOString(), ...told, liste: hasList, dagerSomIkkeErAvsluttet: open })
  else print(...asLines(told, { open, hasList }))
  return told.avvik.length === 0 ? 0 : 1
}

/** A day is a call or two to Vipps. */
const DAYS_MAX = 400

/** @throws InputError */
function readDay(text: string, now: Date): Date {
  // As early as it can have begun: in summer.
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00+02:00`) : null
  const ageDays = day === null ? Number.NaN : (now.getTime() - day.getTime()) / DAY_MS
  if (day !== null && ageDays >= 0 && ageDays <= DAYS_MAX) return day
  throw new InputError('ugyldig_dato', 'fra', {
    norsk: `--fra er en dato som 2026-11-20, høyst ${DAYS_MAX} dager tilbake.`,
    english: `--fra is a date like 2026-11-20, at most ${DAYS_MAX} days back.`,
  })
}

/** @throws InputError */
async function referencesIn(path: string): Promise<string[]> {
  await requireFile(path)
  if ((await stat(path)).size > SETTLEMENT_FILE_BYTES_MAX)
    throw new InputError('for_stor_fil', 'fil', {
      norsk: `Filen er større enn ${SETTLEMENT_FILE_BYTES_MAX / 1024 / 1024} MB.`,
      english: `The file is larger than ${SETTLEMENT_FILE_BYTES_MAX / 1024 / 1024} MB.`,
    })
  return readSettlementFile(await readFile(path, 'utf8'))
}

/** @returns what was taken and given back, and the days Vipps' books are not done with */
async function settledSince(
  vipps: Vipps,
  since: Date,
  now: Date,
  signal: AbortSignal,
): Promise<{ references: string[]; open: string[] }> {
  const references: string[] = []
  const open: string[] = []
  for (const day of daysBetween(since, now)) {
    const { entries, isOpen } = await vipps.listSettled(day, { signal })
    references.push(...entries.flatMap(({ reference }) => reference ?? []))
    if (isOpen) open.push(day)
  }
  return { references, open }
}

/** By half days: some have 23 hours. */
function daysBetween(since: Date, now: Date): Set<string> {
  const days = new Set<string>()
  for (let at = since.getTime(); at < now.getTime(); at += DAY_MS / 2) days.add(norwegianDay(new Date(at)))
  return days.add(norwegianDay(now))
}

/** @throws OppslagError in one line, without Vipps, or when Vipps could not be asked */
async function withVipps<T>(
  work: (vipps: Vipps, merchant: string, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const environment = readEnvironment(process.env)
  const log = createLog({ level: 'silent', file: null })
  const opened = createOpened(log)
  const interrupted = new AbortController()
  const interrupt = () => interrupted.abort()
  process.once('SIGINT', interrupt)
  process.once('SIGTERM', interrupt)
  try {
    const vipps = openVipps(environment, { clock: systemClock, log, opened })
    if (vipps === null || environment.vipps === null)
      throw new OppslagError('ikke_vipps', 'VIPPS_CLIENT_ID med flere er ikke satt: Vipps kan ikke spørres.')
    return await work(vipps, environment.vipps.merchantSerialNumber, interrupted.signal)
  } catch (error) {
    if (interrupted.signal.aborted)
      throw new OppslagError('avbrutt', 'Avbrutt. Ingenting er endret.', { cause: error })
    if (error instanceof VippsError)
      throw new OppslagError(error.code, `Vipps kunne ikke spørres (${error.code}).`, { cause: error })
    if (error instanceof RangeError)
      throw new InputError('for_mange', 'fra', {
        norsk: `Det er flere enn ${PAYMENTS_MAX} betalinger: velg en senere --fra, eller del filen.`,
        english: `There are more than ${PAYMENTS_MAX} payments: choose a later --fra, or part the file.`,
      })
    throw error
  } finally {
    process.off('SIGINT', interrupt)
    process.off('SIGTERM', interrupt)
    await opened.closeAll()
  }
}

function asLines(
  { sett, iOrden, underveis, andres, avvik }: Reconciliation,
  { open, hasList }: { open: readonly string[]; hasList: boolean },
): string[] {
  const codes = [...new Set(avvik.map(({ kode }) => kode))]
  return [
    `${sett} betalinger sett etter hos Vipps: ${iOrden} i orden, ${underveis} underveis, ${avvik.length} avvik.`,
    ...(hasList
      ? []
      : [
          'Uten en liste fra Vipps er bare betalinger som kjennes her sett etter: kjøp som er borte etter en gjenoppretting, ses med --rapport eller --fil.',
        ]),
    ...(andres === 0 ? [] : [`${andres} referanser i listen er ikke herfra.`]),
    ...(open.length === 0
      ? []
      : [`Vipps er ikke ferdig med disse dagene ennå, kjør igjen siden: ${open.join(', ')}.`]),
    ...(avvik.length === 0
      ? []
      : aligned([
          ['AVVIK', 'REFERANSE', 'ORDRE', 'TILSTAND', 'BILAG', 'TRUKKET', 'REFUNDERT'],
          ...avvik.map((each) => [
            each.kode,
            each.referanse,
            each.ordre ?? '',
            each.tilstand ?? '',
            each.bilag?.toString() ?? '',
            sum(each.trukketOre, each.valuta),
            sum(each.refundertOre, each.valuta),
          ]),
        ])),
    ...codes.map((kode) => `${kode}: ${WHAT_TO_DO[kode]}`),
  ]
}

function sum(ore: number | null, valuta: Discrepancy['valuta']): string {
  return ore === null ? '' : `${kroner(ore)} ${valuta ?? ''}`
}

const WHAT_TO_DO: Record<DifferenceCode, string> = {
  betalt_uten_ordre:
    'kjøperen har betalt, og kjøpet finnes ikke her. Utsted en nøkkel til kjøperen (nokkel utsted --epost … --hvorfor "gjenopprettet, <referanse>"), eller refunder i Vipps’ portal.',
  reservert_uten_ordre:
    'pengene er holdt av og ikke trukket. Kanseller reservasjonen i Vipps’ portal; ellers slippes den av seg selv.',
  betalt_uten_nokkel:
    'ordren kom ikke i stand her, og pengene er trukket. Refunder i Vipps’ portal, eller utsted en nøkkel (nokkel utsted).',
  ikke_trukket:
    'ordren er fullført her, og pengene er ikke trukket hos Vipps. Trekk dem i portalen, eller steng nøkkelen (nokkel tilbakekall).',
  refundert: 'pengene er gitt tilbake. Nøkkelen virker til den stenges: nokkel tilbakekall <ordre>.',
  annen_betaling:
    'betalingen er på et annet beløp, en annen valuta eller et annet salgssted enn ordren. Se på begge.',
  ukjent_hos_vipps: 'Vipps har ingen slik betaling på dette salgsstedet. Er VIPPS_MSN den den var?',
  ikke_lest: 'Vipps svarte ikke for disse. Kjør igjen.',
}
