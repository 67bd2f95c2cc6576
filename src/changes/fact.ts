/** What a register says of a company, as the record shows it, and at the record's addresses. null: not stated. */
export type Fact = null | boolean | number | string | Fact[] | { [name: string]: Fact }
export type Facts = { [name: string]: Fact }

/**
 * One look at one source. `inDoubt`: the parts of it in which a null may stand for what could not be read, and an item may be
 * missing for the same reason; '' is the top of the record.
 */
export type Look = { facts: Facts; inDoubt: readonly string[] }

export function isFacts(fact: Fact | undefined): fact is Facts {
  return typeof fact === 'object' && fact !== null && !Array.isArray(fact)
}
