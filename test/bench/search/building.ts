import { buildIndex } from '#src/search/build.ts'
import { createBulkSource } from '#src/sources/enhetsregisteret/bulk.ts'
import { createRegisterDownloads } from '#src/sources/register-download.ts'

/** A process of its own, so that its memory is the build's: builds the index of a database from the register at an address. */
const [databaseUrl = '', registerUrl = ''] = process.argv.slice(2)
const startedAt = performance.now()
const downloads = createRegisterDownloads({
  baseUrl: new URL(registerUrl),
  userAgent: 'bench',
  connectTimeoutMs: 5000,
  silenceMs: 60_000,
  fileBytesMax: 2 ** 31,
})
let lastPhase = ''
const outcome = await buildIndex(
  {
    url: databaseUrl,
    bulk: createBulkSource(downloads, { unpackedBytesMax: 8 * 2 ** 30 }),
    now: () => new Date(),
    catchUp: async () => {},
    log: { info: (...args: unknown[]) => console.error(...args), warn() {} },
    signal: new AbortController().signal,
    onProgress({ phase, read }) {
      if (phase !== lastPhase)
        console.error(`${((performance.now() - startedAt) / 1000).toFixed(0)} s: ${phase} ${read}`)
      lastPhase = phase
    },
    policy: { batchUnits: 1000, filesOlderMs: 86_400_000, unreadableShareMax: 0.01 },
  },
  { isForced: true },
)
await downloads.close()
const { user, system } = process.cpuUsage()
console.log(
  JSON.stringify({
    outcome,
    seconds: (performance.now() - startedAt) / 1000,
    cpuSeconds: (user + system) / 1e6,
    // The most there ever was, as the system counts it.
    mostMb: (process.resourceUsage().maxRSS * 1024) / 1e6,
  }),
)
