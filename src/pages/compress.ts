import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/** The same bytes in the forms browsers take. */
export type Encoded = { br: Buffer; gzip: Buffer }

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)

/** Done once for what does not change, so it may take its time: 200 kB of style sheet, some 300 ms in the thread pool. */
export async function compress(bytes: Buffer): Promise<Encoded> {
  const [br, gzipped] = await Promise.all([
    brotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
    zip(bytes, { level: 9 }),
  ])
  return { br, gzip: gzipped }
}

/** Every browser that is in use takes `br` over TLS and `gzip` without. */
export function encodingFor(acceptEncoding: string | string[] | undefined): keyof Encoded | null {
  const names = String(acceptEncoding ?? '')
    .slice(0, 500)
    .toLowerCase()
    .split(',')
    .map((each) => each.trim())
  if (names.includes('br')) return 'br'
  return names.includes('gzip') ? 'gzip' : null
}
