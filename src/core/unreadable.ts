import { channel } from 'node:diagnostics_channel'

/**
 * Where something came in that was written by a process of ours, or should have been: another release may know words this one
 * does not. What can not be read there is counted and left, and ends nothing (P105).
 */
export const doors = [
  /** what processes tell each other of changes, over Redis */
  'buss',
  /** what PostgreSQL tells of keys that were changed */
  'varsel',
  'jobb',
  /** what the fronts of one command tell each other */
  'front',
  /** rows */
  'ordre',
  'arend',
  'nokkel',
  'operator',
  'stilling',
  'webhook',
  'endring',
  'endepunkt',
  'levering',
  'kildekvarter',
  'maaling',
] as const
export type Door = (typeof doors)[number]

/** Listeners get a `Door`, synchronously. */
export const UNREADABLE_CHANNEL = 'bedriftsoppslag:unreadable'

const unreadable = channel(UNREADABLE_CHANNEL)

export function tellUnreadable(door: Door): void {
  if (unreadable.hasSubscribers) unreadable.publish(door)
}
