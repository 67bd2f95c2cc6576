import pg from 'pg'
import { openEmbeddedDatabase } from '#src/embedded/embedded-database.ts'

// A process of its own that opens the embedded database in the folder it is given, tells its address, holds it until
// standard input ends or it is interrupted, uses it once more and closes. Each step is one line on standard output.
const [dataDir = '', transport = 'socket'] = process.argv.slice(2)
const { url, close } = await openEmbeddedDatabase({
  dataDir,
  durable: false,
  transport: transport as 'socket' | 'loopback',
})
const released = new Promise<void>((resolve) => {
  process.once('SIGINT', () => resolve())
  process.stdin.once('end', () => resolve()).resume()
})
process.stdout.write(`${url}\n`)
await released

const client = new pg.Client({ connectionString: url })
await client.connect()
await client.query('select 1')
await client.end()
process.stdout.write('still there\n')
await close()
process.stdout.write('closed\n')
process.exit()
