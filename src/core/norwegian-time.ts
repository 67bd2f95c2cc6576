import { DAY_MS, HOUR_MS } from './units.ts'
/**
 * A moment as Norwegian registers write it, in Norwegian time and without saying so ("1998-04-02 10:11:12"), as ISO 8601
 * with the zone that was meant ("1998-04-02T10:11:12+02:00"). A plain date is a day and has no zone. A moment that came
 * twice, in the hour the clock is set back, is taken for the first.
 *
 * @returns null when it is neither
 */
export function isoFromNorway(text: string): string | null {
  const moment = read(text)
  if (moment === null) return null
  const { date, time, asIfUtc } = moment
  if (time === null) return date
  // The zone at that moment is known once the moment is: the summer's offset first, for the hour that comes twice.
  const fits = (offset: number) => offsetAt(asIfUtc - offset) === offset
  const offset = [asIfUtc - DAY_MS, asIfUtc + DAY_MS].map(offsetAt).sort(descending).find(fits)
  return `${date}T${time}${offsetText(offset ?? offsetAt(asIfUtc))}`
}

/** Whether it is either: the zone, which costs most, is not looked for. */
export function isMomentInNorway(text: string): boolean {
  return read(text) !== null
}

function read(text: string): { date: string; time: string | null; asIfUtc: number } | null {
  const [, date = '', time = null] = LOCAL.exec(text) ?? []
  if (!isDay(date)) return null
  const asIfUtc = Date.parse(`${date}T${time ?? '00:00:00'}Z`)
  return Number.isNaN(asIfUtc) ? null : { date, time, asIfUtc }
}

/** The day it is in Norway: "1998-04-02". */
export function norwegianDay(at: Date): string {
  return dayInOslo.format(at)
}

const dayInOslo = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Oslo' })

const LOCAL = /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?))?$/

/** Date.parse takes 31 February for a day in March. */
function isDay(date: string): boolean {
  const day = new Date(`${date}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(date)
}

const inOslo = new Intl.DateTimeFormat('en', { timeZone: 'Europe/Oslo', timeZoneName: 'longOffset' })

/** Milliseconds ahead of UTC: "GMT+02:00", and "GMT" alone is none. */
function offsetAt(time: number): number {
  const hour = Math.floor(time / HOUR_MS)
  const known = offsets.get(hour)
  if (known !== undefined) return known
  const offset = readOffset(hour * HOUR_MS)
  if (offsets.size >= OFFSETS_MAX) offsets.clear()
  offsets.set(hour, offset)
  return offset
}

/** It changes at a whole hour of UTC, and a record asks for the same few days several times. */
const offsets = new Map<number, number>()
const OFFSETS_MAX = 1000

function readOffset(time: number): number {
  const name = inOslo.formatToParts(time).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign = '+', hours = '0', minutes = '0'] = /^GMT(?:([+-])(\d{2}):(\d{2}))?/.exec(name) ?? []
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
}

function offsetText(offsetMs: number): string {
  const minutes = Math.abs(offsetMs) / 60_000
  const two = (number: number) => String(number).padStart(2, '0')
  return `${offsetMs < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}

function descending(a: number, b: number): number {
  return b - a
}
