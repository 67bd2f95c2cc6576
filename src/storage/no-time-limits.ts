import type pg from 'pg'

/**
 * What reads or writes all there is takes as long as there is much of it, and the limits on time that a server, a database or a role has
 * been told are meant for readers: they would end it half-way, each time. How long a lock is waited for stays as it is.
 *
 * Said by a statement, since pg leaves out a limit of 0 where it connects; and of those the server knows, as an older one knows fewer.
 */
export async function liftTimeLimits(client: Pick<pg.ClientBase, 'query'>): Promise<void> {
  await client.query(
    `select set_config(name, '0', false) from pg_settings
     where name in ('statement_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout', 'idle_session_timeout')`,
  )
}
