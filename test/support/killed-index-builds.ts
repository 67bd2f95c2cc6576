import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { policy } from '#config/policy.ts'
import { findAny, noFilters } from '#src/search/find-any.ts'
import { readQuestion } from '#src/search/question.ts'
import { createBulkSource } from '#src/sources/enhetsregisteret/bulk.ts'
import { createRegisterDownloads } from '#src/sources/register-download.ts'
import type { Database } from '#src/storage/database.ts'
import { readIndexState } from '#src/storage/search/build-state.ts'
import { writeBulkFiles } from '#test/bench/search/bulk-files.ts'
import { buildFrom } from '#test/search/built-index.ts'
import { createTestDatabase } from './database.ts'
import { eventually } from './eventually.ts'
import { startProcess } from './processes.ts'
import { type Surroundings, startSurroundings } from './surroundings.ts'

/** Eight thousand units: eight batches of a build. */
const SCALE = 0.004
const OLD = {
  organisasjonsnummer: '800000012',
  navn: 'GAMMELVIK SKIPSHANDEL AS',
  organisasjonsform: { kode: 'AS', beskrivelse: 'Aksjeselskap' },
  respons_klasse: 'Enhet',
}

/**
 * Builds an index with worker after worker, each ended by SIGKILL while it builds, and at last one that is let finish.
 *
 * @returns what readers were given by the old index at each death, and every row of what came of it, beside the rows of a
 *   build that nobody disturbed
 */
export async function buildThroughKills(kills: number) {
  const folder = await mkdtemp(join(tmpdir(), 'oppslag-bygg-'))
  await writeBulkFiles(folder, SCALE, { enheter: [], underenheter: [] })
  const [around, undisturbed] = await Promise.all([startSurroundings(), createTestDatabase()])
  const register = await startHeldBulk(folder, around)
  const { database } = around.storage
  const variables = { ...around.variables(), REGISTER_URL: register.url, SOKEINDEKS: 'paa' }
  const seen: string[] = []
  try {
    await buildFrom(around.storage.url, { enheter: [OLD], underenheter: [] })
    for (let kill = 1; kill <= kills; kill += 1) {
      const before = await placeIn(database)
      register.letThrough((2 * kill) / (kills + 1))
      const worker = await startProcess('worker', variables)
      try {
        await eventually(
          'it has a batch in its tables that the one before had not',
          async () => (await placeIn(database)) >= before + policy.searchIndex.batchUnits,
          150_000,
        )
      } finally {
        await worker.end('SIGKILL')
      }
      seen.push(await read(database))
    }
    register.letThrough(2)
    const last = await startProcess('worker', variables)
    await eventually('the index is built', async () => (await placeIn(database)) === 0, 150_000)
    await last.end()
    seen.push(await read(database))
    await buildUndisturbed(undisturbed.url, register.url)
    return { seen, rows: await rowsOf(database), undisturbed: await rowsOf(undisturbed.database) }
  } finally {
    await register.close()
    await Promise.all([around.close(), undisturbed.close()])
    await rm(folder, { recursive: true })
  }
}

async function buildUndisturbed(databaseUrl: string, registerUrl: string): Promise<void> {
  const downloads = createRegisterDownloads({
    baseUrl: new URL(registerUrl),
    userAgent: 'test',
    connectTimeoutMs: 5000,
    silenceMs: 30_000,
    fileBytesMax: 2 ** 30,
  })
  const bulk = createBulkSource(downloads, { unpackedBytesMax: 2 ** 30 })
  await buildFrom(databaseUrl, { enheter: [], underenheter: [] }, { bulk })
  await downloads.close()
}

/** How far a build has come; 0 while there is none. */
async function placeIn(database: Database): Promise<number> {
  const { build } = await readIndexState(database)
  if (build === null) return 0
  return 1 + build.read + (build.phase === 'underenheter' ? 0 : 1_000_000)
}

/** What readers find of the old index, and of the new. */
async function read(database: Database): Promise<string> {
  const count = async (q: string) =>
    (await findAny(readQuestion(q), noFilters, { db: database, limitMs: 60_000 })).hits.length
  return `old ${Math.min(1, await count('gammelvik skipshandel'))}, new ${Math.min(1, await count('eiendom'))}`
}

/** Of each table the number of its rows, and a digest of all of them. */
async function rowsOf(database: Database): Promise<string[]> {
  const tables = ['sok_foretak', 'sok_navn', 'sok_kontakt', 'sok_ord', 'sok_tekst']
  return Promise.all(
    tables.map(async (table) => {
      const [row] = await database.query<{ rows: number; digest: string }>(
        `select count(*)::integer as rows, md5(string_agg(t::text, '|' order by t::text)) as digest from ${table} t`,
      )
      return `${table}: ${row?.rows} ${row?.digest}`
    }),
  )
}

/** The stand-in's registers, and bulk files of which so much comes as is let through: 1 is the first of them, 2 both. */
async function startHeldBulk(folder: string, { register }: Pick<Surroundings, 'register'>) {
  const files = new Map<string, Buffer>()
  for (const file of ['underenheter', 'enheter'])
    files.set(file, await readFile(join(folder, `${file}.json.gz`)))
  let through = 0
  let opened = Promise.withResolvers<void>()

  async function send(file: string, body: Buffer, response: ServerResponse): Promise<void> {
    for (let sent = 0; sent < body.length; ) {
      const share = Math.min(1, Math.max(0, through - (file === 'enheter' ? 1 : 0)))
      const until = Math.ceil(share * body.length)
      if (until > sent) response.write(body.subarray(sent, until))
      sent = Math.max(sent, until)
      if (sent < body.length) await opened.promise
    }
    response.end()
  }

  const server = createServer(async (request, response) => {
    const file = /\/(enheter|underenheter)\/lastned$/.exec(request.url ?? '')?.[1]
    const body = files.get(file ?? '')
    if (file !== undefined && body !== undefined) {
      const etag = createHash('md5').update(body).digest('hex')
      response.writeHead(200, { 'content-type': 'application/gzip', etag })
      if (request.method === 'HEAD') response.end()
      else await send(file, body, response)
      return
    }
    const answer = await fetch(register.registerUrl + request.url, {
      headers: { accept: request.headers.accept ?? '*/*' },
    })
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
    response.end(Buffer.from(await answer.arrayBuffer()))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    letThrough(share: number): void {
      through = share
      opened.resolve()
      opened = Promise.withResolvers()
    },
    async close(): Promise<void> {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
