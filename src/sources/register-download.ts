import type { Readable } from 'node:stream'
import { createUpstreamClient, type OpenResponse } from '#src/upstream/client.ts'
import { UpstreamError } from '#src/upstream/upstream-error.ts'
import { assertPlainPath, sourceErrorFrom } from './register-client.ts'
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
  const client = createUpstreamClient({
    name: 'register file',
    baseUrl: options.baseUrl,
    connectionsMax: 2,
    connectTimeoutMs: options.connectTimeoutMs,
    silenceMs: options.silenceMs,
    bodyBytesMax: options.fileBytesMax,
    isFile: true,
  })

  async function ask(
    source: string,
    path: string,
    method: 'GET' | 'HEAD',
    { accept, signal }: { accept: string; signal: AbortSignal },
  ): Promise<OpenResponse> {
    assertPlainPath(path)
    const headers = { accept, 'user-agent': options.userAgent }
    const answer = await client.open({ method, path, headers, signal }).catch((cause) => {
      throw cause instanceof UpstreamError ? sourceErrorFrom(source, cause) : cause
    })
    if (answer.status === 200) return answer
    answer.body.destroy()
    throw new SourceError(source, 'feilstatus', `answered with status ${answer.status}`, {
      status: answer.status,
    })
  }

  return {
    /** The file's ETag, unchanged: it is bare hex digits here, and compared as it is. null when there is none. */
    async etagOf(
      source: string,
      path: string,
      request: { accept: string; signal: AbortSignal },
    ): Promise<string | null> {
      const { etag, body } = await ask(source, path, 'HEAD', request)
      body.destroy()
      return etag
    },

    /** @throws SourceError; what breaks off later is the body's error */
    async download(
      source: string,
      path: string,
      request: { accept: string; signal: AbortSignal },
    ): Promise<RegisterDownload> {
      const { etag, body } = await ask(source, path, 'GET', request)
      return { etag, body }
    },

    close: client.close,
  }
}
