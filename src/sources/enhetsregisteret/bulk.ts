import { once } from 'node:events'
import { type Readable, Transform } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { streamArray } from 'stream-json/streamers/stream-array.js'
import { isRecord } from '../believe.ts'
import type { RegisterDownloads } from '../register-download.ts'
import { type Call, SourceError } from '../source.ts'
import { believeEnhet, believeUnderenhet } from './believe-unit.ts'
import type { Enhet, SlettetEnhet, Underenhet } from './schema.ts'

const SOURCE = 'totalbestand'

export type BulkFile = 'enheter' | 'underenheter'
/** null: a unit that can not be read. It counts, so that the place in the file is the same every time. */
export type BulkUnit = Enhet | Underenhet | SlettetEnhet | null
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
    etagOf: (file: BulkFile, { signal }: Call) =>
      downloads.etagOf(SOURCE, PATHS[file], { accept: ACCEPT[file], signal }),

    /**
     * The units of a file in its order, many at a time.
     *
     * @throws SourceError when it can not be had, breaks off, does not end, or is not such an array
     */
    async units(
      file: BulkFile,
      { signal }: Call,
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
  return isRecord(unit) ? { ...unit, respons_klasse } : unit
}

async function* batchesOf(
  body: Readable,
  believe: Believe,
  { unpackedBytesMax, signal }: { unpackedBytesMax: number; signal: AbortSignal },
): AsyncGenerator<BulkUnit[]> {
  const unpacked = createGunzip()
  const bounded = boundedTo(unpackedBytesMax)
  const values = streamArray.withParserAsStream()
  const parts: readonly (Readable | Transform)[] = [body, unpacked, bounded, values]
  let failure: unknown = null
  // Piped by hand: what fails first is what is told.
  for (const part of parts) {
    part.on('error', (error: unknown) => {
      failure ??= error
      values.destroy(failure as Error)
    })
  }
  body.pipe(unpacked).pipe(bounded).pipe(values)
  try {
    let batch: BulkUnit[] = []
    for await (const { value } of values as AsyncIterable<{ value: unknown }>) {
      batch.push(readUnit(value, believe))
      if (batch.length < BATCH) continue
      yield batch
      batch = []
    }
    if (failure !== null) throw failure
    if (batch.length > 0) yield batch
  } catch (error) {
    const cause = failure ?? error
    if (cause instanceof SourceError) throw cause
    const isLate = signal.aborted
    throw new SourceError(
      SOURCE,
      isLate ? 'tidsfrist' : isOfNetwork(cause) ? 'nettverk' : 'ugyldig_svar',
      'the file broke off, or is not a gzipped JSON array',
      { cause },
    )
  } finally {
    for (const part of parts) part.destroy()
    if (!values.closed)
      await Promise.race([once(values, 'close'), new Promise((resolve) => setImmediate(resolve))])
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
function boundedTo(bytesMax: number): Transform {
  let bytes = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      if (bytes > bytesMax)
        done(new SourceError(SOURCE, 'ugyldig_svar', 'the file is larger than is accepted'))
      else done(null, chunk)
    },
  })
}

function isOfNetwork(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return /^(?:UND_ERR|ECONN|EPIPE|ETIMEDOUT|ENET)/.test(code)
}

/** Units handed on together. */
const BATCH = 500
const PATHS: Record<BulkFile, string> = {
  enheter: '/enhetsregisteret/api/enheter/lastned',
  underenheter: '/enhetsregisteret/api/underenheter/lastned',
}
const ACCEPT: Record<BulkFile, string> = {
  enheter: 'application/vnd.brreg.enhetsregisteret.enhet.v2+gzip;charset=UTF-8',
  underenheter: 'application/vnd.brreg.enhetsregisteret.underenhet.v2+gzip;charset=UTF-8',
}
