import type pg from 'pg'
import { sessionSettings } from '#src/core/session-settings.ts'

/**
 * What reads or writes all there is takes as long as there is much of it, and limits on time are meant for readers: they would end it
 * half-way, each time. How long a lock is waited for stays as it is.
 */
export async function liftTimeLimits(client: Pick<pg.ClientBase, 'query'>): Promise<void> {
  await client.query(NO_LIMITS)
}

const NO_LIMITS = sessionSettings({
  statement_timeout: '0',
  transaction_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0',
})
