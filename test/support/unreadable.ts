import pg from 'pg'

/** What PostgreSQL says of a file it can not have at, since its disk has become read only. */
export const unreadable = () =>
  Object.assign(new pg.DatabaseError('permission denied', 0, 'error'), { code: '42501' })
