import type { Queryable } from './database.ts'

/**
 * Spells addresses as they are read now, where an earlier release has kept a domain as it was typed: whoever looks for one has it in
 * one spelling alone. Done again it changes nothing.
 *
 * @param read null for what is no address any more, which is left
 */
export async function respellAddresses(
  db: Queryable,
  read: (address: string) => string | null,
): Promise<void> {
  for (const table of ['api_nokkel', 'ordre']) {
    const rows = await db.query<{ epost: string }>(
      `select distinct epost from ${table} where epost ~ '[^[:ascii:]]' or epost ~* '[@.]xn--' limit ${AT_ONCE}`,
    )
    for (const { epost } of rows) {
      const address = read(epost) ?? epost
      if (address !== epost)
        await db.query(`update ${table} set epost = $2 where epost = $1`, [epost, address])
    }
  }
}

const AT_ONCE = 10_000
