import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { isJsonObject } from '#src/core/json-object.ts'
import type { RegisterDownloads } from '../register-download.ts'
import { type SourceCall, SourceError } from '../source.ts'
import { itemsOfArray } from './array-items.ts'
import { believeEnhet, believeUnderenhet } from './believe-unit.ts'
import type { Enhet, RegisterUnderenhet, SlettetEnhet } from './schema.ts'

const SOURCE = 'totalbestand'

export type BulkFile = 'enheter' | 'underenheter'
/** null: a unit that can not be read. It counts, so that the place in the file is the same every time. */
export type BulkUnit = Enhet | RegisterUnderenhet | SlettetEnhet | null
export type BulkSource = ReturnType<typeof createBulkSource>

/**
 * Everything Enhetsregisteret knows of units, as it was in the night: one gzipped JSON array of some gigabyte, read as it
 * comes. Units are spelled as in single answers, apart from `links`, and `respons_klasse`, which always says `Enhet`.
 */
export function createBulkSource(
  downloads: Pick<RegisterDownloads, 'etagOf' | 'download'>,
  { unpackedBytesMax }: { unpackedBytesMax: number },
) {
  return {
    /** @throws SourceError */
    etagOf: (file: BulkFile, { signal }: SourceCall) =>
      downloads.etagOf(SOURCE, PATHS[file], { accept: ACCEPT[file], signal }),

    /**
     * The units of a file in its order, many at a time.
     *
     * @throws SourceError when it can not be had, breaks off, does not end, or is not such an array
     */
    async units(
      file: BulkFile,
      { signal }: SourceCall,
    ): Promise<{ etag: string | null; batches: AsyncIterable<BulkUnit[]> }> {
      const { etag, body } = await downloads.download(SOURCE, PATHS[file], { accept: ACCEPT[file], signal })
      return { etag, batches: batchesOf(body, believers[file], { unpackedBytesMax, signal }) }
    },
  }
}

type Believe = (unit: unknown) => { value: Exclude<BulkUnit, null> }

/** Which file it stands in tells what it is. */
const believers: Record<BulkFile, Believe> = {
  enheter: (unit) => believeEnhet(SOURCE, classed(unit, 'Enhet')),
  underenheter: (unit) => believeUnderenhet(SOURCE, classed(unit, 'Underenhet')),
}

function classed(unit: unknown, respons_klasse: string): unknown {
  return isJsonObject(unit) ? { ...unit, respons_klasse } : unit
}

async function* batchesOf(
  body: Readable,
  believe: Believe,
  { unpackedBytesMax, signal }: { unpackedBytesMax: number; signal: AbortSignal },
): AsyncGenerator<BulkUnit[]> {
  const unpacked = createGunzip({ chunkSize: CHUNK_BYTES })
  // What fails on the way ends what is read here, which tells of it.
  pipeline(body, unpacked, () => {})
  try {
    const items = itemsOfArray(boundedTo(unpackedBytesMax, unpacked), { itemBytesMax: ITEM_BYTES_MAX })
    for await (const batch of items) yield batch.map((item) => readUnit(item, believe))
  } catch (cause) {
    if (cause instanceof SourceError) throw cause
    throw new SourceError(
      SOURCE,
      signal.aborted ? 'tidsfrist' : isOfNetwork(cause) ? 'nettverk' : 'ugyldig_svar',
      'the file broke off, or is not a gzipped JSON array of units',
      { cause },
    )
  } finally {
    body.destroy()
    unpacked.destroy()
  }
}

function readUnit(value: unknown, believe: Believe): BulkUnit {
  try {
    return believe(value).value
  } catch (error) {
    if (error instanceof SourceError) return null
    throw error
  }
}

/** A file that grows without end when it is unpacked is none of the register's. */
async function* boundedTo(bytesMax: number, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > bytesMax) throw new SourceError(SOURCE, 'ugyldig_svar', 'the file is larger than is accepted')
    yield chunk
  }
}

function isOfNetwork(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return /^(?:UND_ERR|ECONN|EPIPE|ETIMEDOUT|ENET)/.test(code)
}

/** Unpacked at a time: some thirty units. */
const CHUNK_BYTES = 64 * 1024
/** The largest unit that was seen has 30 kB: 28 former names, and its purpose at length. */
const ITEM_BYTES_MAX = 1024 * 1024
const PATHS: Record<BulkFile, string> = {
  enheter: '/enhetsregisteret/api/enheter/lastned',
  underenheter: '/enhetsregisteret/api/underenheter/lastned',
}
const ACCEPT: Record<BulkFile, string> = {
  enheter: 'application/vnd.brreg.enhetsregisteret.enhet.v2+gzip;charset=UTF-8',
  underenheter: 'application/vnd.brreg.enhetsregisteret.underenhet.v2+gzip;charset=UTF-8',
}
