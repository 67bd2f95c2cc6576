import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { to } from 'pg-copy-streams'
import { connectForLong } from '../long-connection.ts'
import { copyIn } from './copy-in.ts'

export type OrderedRows<Row extends { orgnr: number; linje: number }> = Awaited<
  ReturnType<typeof openOrderedRows<Row>>
>

/**
 * Puts rows in the order of company and line, however many there are: PostgreSQL sorts them in a temporary table, which is
 * gone with its connection. For companies whose rows do not stand together in the file.
 *
 * @param Row anything JSON can hold whose texts have no line breaks
 */
export async function openOrderedRows<Row extends { orgnr: number; linje: number }>(url: string) {
  const client = await connectForLong(url, { name: 'oppslag import' })
  try {
    await client.query(`set work_mem = '64MB'`)
    await client.query(
      'create temporary table rad (orgnr integer not null, linje integer not null, innhold text not null)',
    )
  } catch (error) {
    await client.end()
    throw error
  }
  const copy = copyIn(client, 'copy rad from stdin')
  let text = ''

  function flush(): void {
    if (text !== '') copy.write(text)
    text = ''
  }

  return {
    add(row: Row): void {
      text += `${row.orgnr}\t${row.linje}\t${JSON.stringify(row).replaceAll('\\', '\\\\')}\n`
      if (text.length > TEXT_MAX) flush()
    },

    drained: copy.drained,

    /** All that were added, the rows of a company together and in the order of the file. Once, when none is to be added. */
    async *inOrder(): AsyncGenerator<Row> {
      flush()
      await copy.finished()
      const sorted = client.query(to('copy (select innhold from rad order by orgnr, linje) to stdout'))
      // A second error finds nobody who waits for the end any more, and would end the process.
      sorted.on('error', () => {})
      const lines = createInterface({ input: sorted, crlfDelay: Number.POSITIVE_INFINITY })
      // The same: they tell of their stream's errors as their own, also when nobody reads them any more.
      lines.on('error', () => {})
      // The lines just end when their stream fails.
      const ended = once(sorted, 'end')
      ended.catch(() => {})
      for await (const line of lines) yield JSON.parse(line.replaceAll('\\\\', '\\')) as Row
      await ended
    },

    async close(): Promise<void> {
      await client.end()
    },
  }
}

const TEXT_MAX = 64 * 1024
