import { randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, expect, it } from 'vitest'
import { createBulkSource } from '#src/sources/enhetsregisteret/bulk.ts'
import { createRegisterDownloads } from '#src/sources/register-download.ts'

let server: Server
let close: () => Promise<void> = async () => {}
afterEach(() => close())

/** What the source makes of a file that is sent so. */
async function read(send: (response: import('node:http').ServerResponse) => void, unpackedBytesMax = 1e8) {
  server = createServer((_, response) => send(response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const downloads = createRegisterDownloads({
    baseUrl: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    userAgent: 'test',
    connectTimeoutMs: 5000,
    silenceMs: 5000,
    fileBytesMax: 1e8,
  })
  close = async () => {
    await downloads.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  const signal = AbortSignal.timeout(20_000)
  const { batches } = await createBulkSource(downloads, { unpackedBytesMax }).units('enheter', { signal })
  const units = []
  for await (const batch of batches) units.push(...batch)
  return units
}

const unit = (index: number, navn = `FIRMA ${index} AS`) => ({
  organisasjonsnummer: String(900_000_000 + index),
  navn,
  organisasjonsform: { kode: 'AS', beskrivelse: 'Aksjeselskap', links: [] },
  respons_klasse: 'Enhet',
  links: [],
})
const gzipped = (text: string) => (response: import('node:http').ServerResponse) =>
  response.end(gzipSync(text))
const names = (units: readonly ({ navn?: string | null } | null)[]) => units.map((each) => each?.navn ?? null)

it('every unit is read, whatever its text looks like and wherever a piece of the file ends', async () => {
  const hard = ['A } ] , { [ AS', 'B "C" \\ AS', 'D\\" }', 'ØÆÅ \u2028 €', 'E\nF', `${'G'.repeat(100_000)}`]
  const all = Array.from({ length: 3000 }, (_, index) =>
    unit(index, hard[index % 500] ?? `FIRMA ${index} AS`),
  )
  expect(names(await read(gzipped(JSON.stringify(all, null, 2))))).toEqual(names(all))
})

it('a file that comes faster than it is read comes to its end', async () => {
  const all = Array.from({ length: 3000 }, (_, index) => unit(index, randomBytes(100).toString('hex')))
  const file = gzipSync(JSON.stringify(all))
  const units = await read((response) => {
    response.write(file)
    response.end()
  })
  expect(names(units)).toEqual(names(all))
})

it('a unit that can not be read is counted in its place', async () => {
  const all = [unit(1), { organisasjonsnummer: 'x' }, {}, unit(2)]
  expect(names(await read(gzipped(JSON.stringify(all))))).toEqual(['FIRMA 1 AS', null, null, 'FIRMA 2 AS'])
})

it('an empty file is read as one', async () => {
  expect(await read(gzipped(' [ ] \n'))).toEqual([])
})

it.each([
  ['that is cut', JSON.stringify([unit(1), unit(2)]).slice(0, -30)],
  ['that ends between two units', '[ {"organisasjonsnummer":"900000001"} ,'],
  ['of something else', '{"feil": [1, 2]}'],
  ['of lists', '[[1]]'],
  ['of two arrays', '[{}][{}]'],
  ['of an item that does not end', `[{"a":"${'x'.repeat(3_000_000)}"}]`],
  ['that is no JSON', '[{"a" 1}]'],
])('a file %s is refused as such', async (_, text) => {
  await expect(read(gzipped(text))).rejects.toMatchObject({ failure: 'ugyldig_svar' })
})

it('a file that is not gzipped, or is larger than is accepted, is refused', async () => {
  await expect(read((response) => response.end('[{}]'))).rejects.toMatchObject({ failure: 'ugyldig_svar' })
  await close()
  await expect(read(gzipped(`[${'{},'.repeat(5000)}{}]`), 10_000)).rejects.toMatchObject({
    failure: 'ugyldig_svar',
  })
})

it('a connection that breaks off is the network’s fault, and no end of the file', async () => {
  const whole = gzipSync(JSON.stringify(Array.from({ length: 5000 }, (_, index) => unit(index))))
  const broken = read((response) => {
    response.writeHead(200, { 'content-length': whole.length })
    response.write(whole.subarray(0, whole.length / 2), () => response.socket?.resetAndDestroy())
  })
  await expect(broken).rejects.toMatchObject({ failure: 'nettverk' })
})
