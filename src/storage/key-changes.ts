import { tellUnreadable } from '#src/core/unreadable.ts'
import { followNotifications } from './notifications.ts'

/**
 * Hears from PostgreSQL of every key that was changed, and every session of one that was ended, within milliseconds of the commit.
 * What happens while the connection is away is not heard: whoever remembers keys looks at them again in time anyway.
 *
 * @param onChange with the key's id; it may be told of one twice
 * @param onSessionEnded with the session's hash, in base64url
 */
export function followKeyChanges({
  onChange,
  onSessionEnded,
  ...connection
}: {
  url: string
  onChange: (id: string) => void
  onSessionEnded: (hash: string) => void
  retryMs: number
  heartbeatMs: number
}): { close(): Promise<void> } {
  const reading = (form: RegExp, tell: (said: string) => void) => (said: string) => {
    if (form.test(said)) tell(said)
    else tellUnreadable('varsel')
  }
  return followNotifications({
    ...connection,
    told: {
      nokkel_endret: reading(KEY_ID, onChange),
      okt_avsluttet: reading(SESSION_HASH, onSessionEnded),
    },
  })
}

const KEY_ID = /^[0-9A-Za-z]{10,12}$/
const SESSION_HASH = /^[A-Za-z0-9_-]{43}$/
