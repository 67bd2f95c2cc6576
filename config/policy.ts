import { archive } from './policy/archive.ts'
import { changes } from './policy/changes.ts'
import { looks } from './policy/looks.ts'
import { process } from './policy/process.ts'
import { push } from './policy/push.ts'
import { record } from './policy/record.ts'
import { registers } from './policy/registers.ts'
import { sale } from './policy/sale.ts'
import { search } from './policy/search.ts'

/**
 * What the service decides about time, size and effort. Each number with its reason; measured ones say where.
 * The answer's own deadline is configuration (`ANSWER_DEADLINE_MS`).
 */
export const policy = {
  ...record,
  ...registers,
  ...search,
  ...archive,
  ...sale,
  ...changes,
  ...looks,
  ...process,
  ...push,
} as const

export type Policy = typeof policy
