import type pg from 'pg'
import { sessionSettings } from '#src/core/session-settings.ts'

/**
 * BullMQ's functions count on seeing what others have committed meanwhile: kept apart more strictly, jobs were done twice and new ones
 * refused. And who listens says nothing for as long as nothing happens; cut off for it, all lanes would be told to stop what they are at.
 */
export async function sayWhatIsCountedOn(client: Pick<pg.ClientBase, 'query'>): Promise<void> {
  await client.query(COUNTED_ON)
}

const COUNTED_ON = sessionSettings({
  default_transaction_isolation: 'read committed',
  idle_session_timeout: '0',
})
