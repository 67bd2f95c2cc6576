import type { Readable } from 'node:stream'
import { Pool } from 'undici'
import { assertPlainPath, headerOf, sourceErrorFrom } from './register-client.ts'
import { SourceError } from './source.ts'

/** A file that is being sent: nothing of it is held but what is on its way. */
export type RegisterDownload = { etag: string | null; body: Readable }

export type RegisterDownloads = ReturnType<typeof createRegisterDownloads>

/**
 * Fetches files too large to be held from one register. `silenceMs` ends a file that stops coming, `fileBytesMax` one that
 * does not stop, and `signal` everything.
 */
export function createRegisterDownloads(options: {
  baseUrl: URL
  userAgent: string
  connectTimeoutMs: number
  silenceMs: number
  fileBytesMax: number
}) {
  const basePath = options.baseUrl.pathname.replace(/\/+$/, '')
  const pool = new Pool(options.baseUrl.origin, {
    connections: 2,
    connect: { timeout: options.connectTimeoutMs },
    headersTimeout: options.silenceMs,
    bodyTimeout: options.silenceMs,
    maxResponseSize: options.fileBytesMax,
    allowH2: false,
  })

  async function ask(
    source: string,
    path: string,
    method: 'GET' | 'HEAD',
    { accept, signal }: { accept: string; signal: AbortSignal },
  ) {
    assertPlainPath(path)
    try {
      const answer = await pool.request({
        method,
        path: basePath + path,
        headers: { accept, 'accept-encoding': 'identity', 'user-agent': options.userAgent },
        signal,
      })
      // Its failure is told by whoever reads it; one that nobody reads must not end the process.
      answer.body.on('error', () => {})
      if (answer.statusCode === 200) return answer
      answer.body.destroy()
      throw new SourceError(source, 'feilstatus', `answered with status ${answer.statusCode}`, {
        status: answer.statusCode,
      })
    } catch (cause) {
      throw cause instanceof SourceError ? cause : sourceErrorFrom(source, signal, cause)
    }
  }

  return {
    /** The file's ETag, unchanged: it is bare hex digits here, and compared as it is. null when there is none. */
    async etagOf(
      source: string,
      path: string,
      request: { accept: string; signal: AbortSignal },
    ): Promise<string | null> {
      const answer = await ask(source, path, 'HEAD', request)
      answer.body.destroy()
      return headerOf(answer, 'etag')
    },

    /** @throws SourceError; what breaks off later is the body's error */
    async download(
      source: string,
      path: string,
      request: { accept: string; signal: AbortSignal },
    ): Promise<RegisterDownload> {
      const answer = await ask(source, path, 'GET', request)
      return { etag: headerOf(answer, 'etag'), body: answer.body }
    },

    async close(): Promise<void> {
      await pool.destroy()
    },
  }
}
