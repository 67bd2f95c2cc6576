import { tellUnreadable } from '#src/core/unreadable.ts'
import { followNotifications } from './notifications.ts'

/**
 * Hears from PostgreSQL of every key that was changed, within milliseconds of the commit. What happens while the connection
 * is away is not heard: whoever remembers keys looks at them again in time anyway.
 *
 * @param onChange with the key's id; it may be told of one twice
 */
export function followKeyChanges({
  onChange,
  ...connection
}: {
  url: string
  onChange: (id: string) => void
  retryMs: number
  heartbeatMs: number
}): { close(): Promise<void> } {
  const onTold = (said: string) => {
    if (KEY_ID.test(said)) onChange(said)
    else tellUnreadable('varsel')
  }
  return followNotifications({ ...connection, channel: 'nokkel_endret', onTold })
}

const KEY_ID = /^[0-9A-Za-z]{10,12}$/
