import type { Clock } from '#src/core/clock.ts'
import type { Log } from '#src/core/log.ts'
import type { CanaryResult } from '#src/ops/canary/canary.ts'

/**
 * Has the shapes of the registers' answers looked at, once a night over all processes.
 * Safe to run twice: the night is taken in PostgreSQL first, and what is kept twice is kept once.
 *
 * @returns what it did
 */
export async function canaryNight(work: {
  take: (night: { natt: string; now: Date; takenForMs: number }) => Promise<boolean>
  ask: (signal: AbortSignal) => Promise<CanaryResult>
  keep: (run: { natt: string; startet: Date; ferdig: Date; resultat: CanaryResult }) => Promise<void>
  clock: Clock
  log: Log
  signal: AbortSignal
  policy: { fromHour: number; takenForMs: number }
}): Promise<'early' | 'taken' | 'asked'> {
  const { clock, policy, log } = work
  const now = clock.now()
  const { date, hour } = inNorway(now)
  if (hour < policy.fromHour) return 'early'
  if (!(await work.take({ natt: date, now, takenForMs: policy.takenForMs }))) return 'taken'
  const resultat = await work.ask(work.signal)
  await work.keep({ natt: date, startet: now, ferdig: clock.now(), resultat })
  if (resultat.utenNett) log.warn('the canary reached no register')
  else log.info('the canary has looked at the registers’ answers')
  return 'asked'
}

const oslo = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'Europe/Oslo',
  dateStyle: 'short',
  timeStyle: 'short',
})

function inNorway(at: Date): { date: string; hour: number } {
  const [date = '', time = ''] = oslo.format(at).split(' ')
  return { date, hour: Number(time.slice(0, 2)) }
}
