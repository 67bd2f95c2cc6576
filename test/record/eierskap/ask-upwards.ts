import { expect } from 'vitest'
import { policy } from '#config/policy.ts'
import { Eierskap } from '#src/record/eierskap/eierskap.ts'
import type { OwnershipLimits } from '#src/record/eierskap/limits.ts'
import { type OwnershipQuestion, readOwnership } from '#src/record/eierskap/read-ownership.ts'
import { compilePromised } from '#test/support/promised.ts'
import { type Company, inventedRegister } from './invented-register.ts'

const shape = compilePromised(Eierskap)

/** The answer about company 1, after it was checked to have the promised shape. */
export async function upwards(
  companies: Record<number, Company>,
  question: Partial<OwnershipQuestion> = {},
  limits: Partial<OwnershipLimits> = {},
) {
  const { ports, calls } = inventedRegister(companies)
  const answer = await readOwnership(1, { aar: 2025, retning: 'opp', ...question }, ports, {
    ...policy.eierskap,
    ...limits,
  })
  expect([...shape.Errors(answer)]).toEqual([])
  const { oppover } = answer
  if (oppover === null) throw new Error('asked upwards, answered nothing')
  const owners = Object.fromEntries(
    oppover.eiere.map(({ eier, effektivProsent }) => [
      eier.organisasjonsnummer ?? eier.navn ?? eier.id,
      effektivProsent,
    ]),
  )
  return { answer, oppover, owners, calls }
}
