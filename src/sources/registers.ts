import { enhetsregisteret } from './enhetsregisteret/register.ts'
import { fullmakt } from './fullmakt/register.ts'
import { kunngjoringsregisteret } from './kunngjoringer/register.ts'
import { regnskapsregisteret } from './regnskap/register.ts'

/** Every register that is asked about companies; each one's refreshes wait in a lane under its name. */
export const registers = [enhetsregisteret, fullmakt, regnskapsregisteret, kunngjoringsregisteret] as const

export type Register = (typeof registers)[number]
