import { type CompanySource, companySources, sourceOf } from './index.ts'
import type { CallBudget } from './register.ts'
import { type Register, registers } from './registers.ts'

/** Where refreshes wait: in the lane of their register, or in that of their source where it has a budget of its own. */
export type RegisterLane = Register['name'] | CompanySource

const ofRegisters = registers.map(
  ({ name, about, budget }): [RegisterLane, CallBudget & { about: string }] => [name, { ...budget, about }],
)
const ofSources = companySources.flatMap((name): typeof ofRegisters => {
  const { ownBudget } = sourceOf(name)
  return ownBudget === null ? [] : [[name, ownBudget]]
})
const lanes = [...ofRegisters, ...ofSources]

export const registerLanes: readonly RegisterLane[] = lanes.map(([name]) => name)

/** What each lane may do when nothing is tuned, and what operators read beside it. */
export const registerBudgets = Object.fromEntries(lanes) as Record<
  RegisterLane,
  CallBudget & { about: string }
>

export function laneOf(source: CompanySource): RegisterLane {
  const { ownBudget, register } = sourceOf(source)
  return ownBudget === null ? register.name : source
}
