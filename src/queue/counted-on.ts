import type pg from 'pg'

/**
 * Whatever the server, the database or the role has been told. BullMQ's functions count on seeing what others have committed meanwhile:
 * kept apart more strictly, jobs were done twice and new ones refused. And who listens says nothing for as long as nothing happens; cut
 * off for it, all lanes would be told to stop what they are at.
 *
 * By a statement, and of those the server knows: an older one knows no limit on that.
 */
export async function sayWhatIsCountedOn(client: Pick<pg.ClientBase, 'query'>): Promise<void> {
  await client.query(
    `select set_config(name, needed, false) from pg_settings
     join (values ('default_transaction_isolation', 'read committed'), ('idle_session_timeout', '0')) as told (name, needed) using (name)`,
  )
}
