import type { Queryable } from './database.ts'

export type LostReason = 'tapt' | 'lekket'

/** A link that was mailed. `brukt`: what it asks for has been begun. */
type KeyLink = { slag: 'erstatt' | 'forny'; nokkel: string; grunn: LostReason | null; brukt: boolean }

/**
 * Writes down that an address asked for a new key, whoever's it is. Beyond `waitingMax` it is dropped: to whoever asks it
 * looks the same.
 */
export async function askForReplacement(
  db: Queryable,
  { epost, grunn }: { epost: string; grunn: LostReason },
  at: Date,
  waitingMax: number,
): Promise<void> {
  await db.query(
    `insert into erstatningsonske (epost, grunn, spurt_at)
     select $1, $2, $3 where (select count(*) from erstatningsonske) < $4`,
    [epost, grunn, at, waitingMax],
  )
}

/** Takes the oldest wish that nobody else is at; it is gone when the transaction is. */
export async function takeReplacementWish(
  connection: Queryable,
): Promise<{ epost: string; grunn: LostReason } | null> {
  const [row] = await connection.query<{ epost: string; grunn: LostReason }>(
    `delete from erstatningsonske where id = (
       select id from erstatningsonske order by id for update skip locked limit 1
     ) returning epost, grunn`,
  )
  return row ?? null
}

/** How many errands of a kind there have been since then: for one chain, and for all keys of an address. */
export async function countErrandsSince(
  db: Queryable,
  { slag, gjelder, epost }: { slag: 'lenke' | 'erstatt'; gjelder: string; epost: string },
  since: Date,
): Promise<{ ofChain: number; ofAddress: number }> {
  const [row] = await db.query<{ av_kjede: string; av_adresse: string }>(
    `select count(*) filter (where u.gjelder = $2) as av_kjede, count(*) as av_adresse
     from utboks u join api_nokkel n on n.id = u.nokkel
     where u.slag = $1 and u.laget_at > $4 and (u.gjelder = $2 or lower(n.epost) = lower($3))`,
    [slag, gjelder, epost, since],
  )
  return { ofChain: Number(row?.av_kjede ?? 0), ofAddress: Number(row?.av_adresse ?? 0) }
}

export async function insertKeyLink(
  db: Queryable,
  link: { hash: Buffer; slag: KeyLink['slag']; nokkel: string; grunn: LostReason | null; validUntil: Date },
): Promise<void> {
  await db.query(
    'insert into nokkellenke (hash, slag, nokkel, grunn, gyldig_til) values ($1, $2, $3, $4, $5)',
    [link.hash, link.slag, link.nokkel, link.grunn, link.validUntil],
  )
}

/** A link that is still valid; held until the transaction ends. */
export async function holdKeyLink(
  connection: Queryable,
  hash: Buffer,
  slag: KeyLink['slag'],
  at: Date,
): Promise<KeyLink | null> {
  const [row] = await connection.query<Omit<KeyLink, 'brukt'> & { brukt_at: Date | null }>(
    `select slag, nokkel, grunn, brukt_at from nokkellenke
     where hash = $1 and slag = $2 and gyldig_til > $3 for update`,
    [hash, slag, at],
  )
  if (row === undefined) return null
  const { brukt_at, ...link } = row
  return { ...link, brukt: brukt_at !== null }
}

export async function markLinkUsed(connection: Queryable, hash: Buffer, at: Date): Promise<void> {
  await connection.query('update nokkellenke set brukt_at = $2 where hash = $1 and brukt_at is null', [
    hash,
    at,
  ])
}
