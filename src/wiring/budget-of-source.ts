import { type TunedBudget, tunedBudgets } from '#src/ops/tunables.ts'
import { jobs, type Section } from '#src/queue/jobs.ts'

/** A section's background budget is its register's; null for what has none, like the search. */
export function budgetOfSource(source: string): TunedBudget | null {
  const lane: string | undefined = jobs['refresh-company'].laneOf({ seksjon: source as Section })
  return lane !== undefined && Object.hasOwn(tunedBudgets, lane) ? (lane as TunedBudget) : null
}
