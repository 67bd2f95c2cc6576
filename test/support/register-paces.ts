import { type RegisterLane, registerLanes } from '#src/sources/lanes.ts'

/** The same pace in every register's lane. */
export function everyLane<Budget>(budget: Budget): Record<RegisterLane, Budget> {
  return Object.fromEntries(registerLanes.map((lane) => [lane, budget])) as Record<RegisterLane, Budget>
}
