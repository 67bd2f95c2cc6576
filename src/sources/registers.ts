import { enhetsregisteret } from './enhetsregisteret/register.ts'
import { fullmakt } from './fullmakt/register.ts'
import { kunngjoringsregisteret } from './kunngjoringer/register.ts'
import { regnskapsregisteret } from './regnskap/register.ts'

/** Every register that is asked about companies; each one's refreshes wait in a lane of its own, under its name. */
export const registers = [enhetsregisteret, fullmakt, regnskapsregisteret, kunngjoringsregisteret] as const

export type Register = (typeof registers)[number]
export type RegisterLane = Register['name']

export const registerLanes: readonly RegisterLane[] = registers.map(({ name }) => name)

/** What each lane may do when nothing is tuned. */
export const registerBudgets = Object.fromEntries(
  registers.map(({ name, budget }) => [name, budget]),
) as Record<RegisterLane, { callsPerSecond: number; atOnce: number }>
