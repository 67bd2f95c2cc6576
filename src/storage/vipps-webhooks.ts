import { Type } from 'typebox'
import type { Queryable } from './database.ts'
import { nullable, rowReader, Tid } from './read-rows.ts'

/** One registration for messages from Vipps, and the secret it signs with. */
export type StoredWebhook = {
  id: string
  url: string
  secret: string
  registeredAt: Date
  replacedAt: Date | null
}

/** Registrations whose messages are believed, newest first: those in use, and those replaced after `since`. */
export async function listWebhooks(db: Queryable, since: Date): Promise<StoredWebhook[]> {
  const rows = await db.query(
    `select id, url, hemmelighet, registrert_at, erstattet_at from vipps_webhook
     where erstattet_at is null or erstattet_at > $1
     order by registrert_at desc, id`,
    [since],
  )
  return readWebhooks(rows).map((row) => ({
    id: row.id,
    url: row.url,
    secret: row.hemmelighet,
    registeredAt: row.registrert_at,
    replacedAt: row.erstattet_at,
  }))
}

/** One that can not be read signs nothing that is believed. */
const readWebhooks = rowReader(
  'webhook',
  Type.Object({
    id: Type.String(),
    url: Type.String({ pattern: '^https?://' }),
    hemmelighet: Type.String({ minLength: 1 }),
    registrert_at: Tid,
    erstattet_at: nullable(Tid),
  }),
)

export async function storeWebhook(
  db: Queryable,
  { id, url, secret, at }: { id: string; url: string; secret: string; at: Date },
): Promise<void> {
  await db.query('insert into vipps_webhook (id, url, hemmelighet, registrert_at) values ($1, $2, $3, $4)', [
    id,
    url,
    secret,
    at,
  ])
}

/** Every registration but this one is replaced from now on, and those replaced before `forgetBefore` are forgotten. */
export async function keepOnlyWebhook(
  db: Queryable,
  { id, at, forgetBefore }: { id: string; at: Date; forgetBefore: Date },
): Promise<void> {
  await db.query('update vipps_webhook set erstattet_at = $2 where id <> $1 and erstattet_at is null', [
    id,
    at,
  ])
  await db.query('delete from vipps_webhook where erstattet_at < $1', [forgetBefore])
}

/**
 * Takes the turn of looking at the registrations for an address: true for one caller alone until `until`, and only when a
 * look is due or the address is another one than last time.
 */
export async function takeWebhookTurn(
  db: Queryable,
  { url, now, until }: { url: string; now: Date; until: Date },
): Promise<boolean> {
  const rows = await db.query(
    `insert into vipps_webhook_sjekk (url, neste_at) values ($1, $3)
     on conflict (eneste) do update set url = excluded.url, neste_at = excluded.neste_at
       where vipps_webhook_sjekk.neste_at <= $2 or vipps_webhook_sjekk.url <> excluded.url
     returning 1 as taken`,
    [url, now, until],
  )
  return rows.length > 0
}

export async function endWebhookTurn(db: Queryable, next: Date): Promise<void> {
  await db.query('update vipps_webhook_sjekk set neste_at = $1', [next])
}
