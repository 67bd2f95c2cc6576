/** What decides whether a key may be used. `slutter`: it was replaced, and works until then. */
export type KeyLife = { utloper: Date; tilbakekalt: Date | null; slutter: Date | null }

/** Why a key is over at this time, be it in epoch milliseconds; null while it is not. A key that was revoked is over for ever, whatever the clock says. */
export function keyOver(
  { utloper, tilbakekalt, slutter }: KeyLife,
  at: Date | number,
): 'tilbakekalt' | 'erstattet' | 'utlopt' | null {
  if (tilbakekalt !== null) return 'tilbakekalt'
  const now = typeof at === 'number' ? at : at.getTime()
  if (slutter !== null && now >= slutter.getTime()) return 'erstattet'
  return now >= utloper.getTime() ? 'utlopt' : null
}

/**
 * The same as a condition on `api_nokkel`, of keys that have reached whoever they are for.
 *
 * @param at the parameter with the time, as `$2`
 * @param key the table, as it is called in the query
 */
export function keyInUse(at: string, key = 'api_nokkel'): string {
  return `${keyNotEnded(at, key)} and ${key}.utloper_at > ${at}`
}

/** Apart from its year, which may be over. */
export function keyNotEnded(at: string, key = 'api_nokkel'): string {
  return `${key}.tilstand in ('sendt', 'aktiv') and ${key}.tilbakekalt_at is null
    and (${key}.slutter_at is null or ${key}.slutter_at > ${at})`
}
