import { dateFormat } from '#src/core/formats.ts'

/**
 * The samples are written as of 1 September 2026, by when most companies' accounts for 2025 are in. As of any other day they
 * are moved by whole years: what was new is still new, people have the same ages, and the last year that is closed is the
 * last there are accounts and shareholders for.
 */
const WRITTEN_YEAR = 2026
/** September, counted from 0. */
const WRITTEN_MONTH = 8

/** The accounting year whose accounts and shareholders are the newest there are on that day. */
export function lastClosedYear(now: Date): number {
  return now.getUTCFullYear() - (now.getUTCMonth() >= WRITTEN_MONTH ? 1 : 2)
}

/** How many years what is written is to be moved by; less than none before it was written. */
export function yearsMoved(now: Date): number {
  return lastClosedYear(now) - (WRITTEN_YEAR - 1)
}

/**
 * Every date in a register's answer, moved: as JSON writes them, with dots as in mandates and announcements, and the years
 * that journal numbers and announcements begin with. When a mandate was looked up is the moment it is asked for.
 */
export function asOf<T>(answer: T, now: Date): T {
  return moved(answer, '', { years: yearsMoved(now), lookedUpAt: norwegianTime(now) }) as T
}

type Move = { years: number; lookedUpAt: string }

function moved(value: unknown, name: string, move: Move): unknown {
  if (typeof value === 'string') return movedText(value, name, move)
  if (Array.isArray(value)) return value.map((item) => moved(item, name, move))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, moved(part, key, move)]))
}

function movedText(text: string, name: string, { years, lookedUpAt }: Move): string {
  if (name === 'oppslagsTidspunkt') return lookedUpAt
  if (BEGINS_WITH_YEAR.has(name)) return `${Number(text.slice(0, 4)) + years}${text.slice(4)}`
  return text
    .replace(/(?<!\d)(\d{4})-(\d\d)-(\d\d)(?!\d)/g, (_, year, month, day) => {
      const there = Number(year) + years
      return `${there}-${month}-${dayIn(there, month, day)}`
    })
    .replace(/(?<!\d)(\d\d)\.(\d\d)\.(\d{4})(?!\d)/g, (_, day, month, year) => {
      const there = Number(year) + years
      return `${dayIn(there, month, day)}.${month}.${there}`
    })
    .replace(/(?<=\bkid=)\d{4}/g, (year) => String(Number(year) + years))
}

const BEGINS_WITH_YEAR = new Set(['sisteInnsendteAarsregnskap', 'journalnr'])

/** Whoever was born on 29 February has the day before in other years. */
function dayIn(year: number, month: string, day: string): string {
  const isLeapYear = new Date(Date.UTC(year, 1, 29)).getUTCMonth() === 1
  return month === '02' && day === '29' && !isLeapYear ? '28' : day
}

/** `2026-08-12T09:14:03`, as the mandate service writes it. */
function norwegianTime(now: Date): string {
  const text = dateFormat('sv-SE', {
    timeZone: 'Europe/Oslo',
    dateStyle: 'short',
    timeStyle: 'medium',
  }).format(now)
  return text.replace(' ', 'T')
}
