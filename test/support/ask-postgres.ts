import pg from 'pg'

/** One question over a connection of its own, which may be lost. @returns its rows */
export async function askPostgres(url: string, question: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(question)).rows
  } finally {
    await client.end()
  }
}
