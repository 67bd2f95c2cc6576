import { archivePolicy } from './policy/archive.ts'
import { changesPolicy } from './policy/changes.ts'
import { looksPolicy } from './policy/looks.ts'
import { processPolicy } from './policy/process.ts'
import { pushPolicy } from './policy/push.ts'
import { recordPolicy } from './policy/record.ts'
import { registersPolicy } from './policy/registers.ts'
import { salePolicy } from './policy/sale.ts'
import { searchPolicy } from './policy/search.ts'

/**
 * What the service decides about time, size and effort. Each number with its reason; measured ones say where.
 * The answer's own deadline is configuration (`ANSWER_DEADLINE_MS`).
 */
export const policy = {
  ...recordPolicy,
  ...registersPolicy,
  ...searchPolicy,
  ...archivePolicy,
  ...salePolicy,
  ...changesPolicy,
  ...looksPolicy,
  ...processPolicy,
  ...pushPolicy,
} as const

export type Policy = typeof policy
