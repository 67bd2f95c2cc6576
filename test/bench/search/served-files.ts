import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

/** The two bulk files behind the register's own addresses. */
export async function serveBulkFiles(folder: string) {
  const etags = new Map<string, string>()
  for (const file of ['enheter', 'underenheter'])
    etags.set(
      file,
      createHash('md5')
        .update(await readFile(join(folder, `${file}.json.gz`)))
        .digest('hex'),
    )
  const server = createServer((request, response) => {
    const file = /\/(enheter|underenheter)\/lastned$/.exec(request.url ?? '')?.[1]
    if (file === undefined) {
      response.writeHead(404).end()
      return
    }
    response.writeHead(200, { 'content-type': 'application/gzip', etag: etags.get(file) })
    if (request.method === 'HEAD') response.end()
    else pipeline(createReadStream(join(folder, `${file}.json.gz`)), response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
