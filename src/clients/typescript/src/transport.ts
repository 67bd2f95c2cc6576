import { OppslagProblem, UventetSvar } from './problem.ts'

export type Kept = { etag: string; body: string }
/** Where answers are kept with their tags: what has not changed is not sent again. */
export type TagStore = { get(url: string): Kept | undefined; set(url: string, kept: Kept): void }

export type TransportOptions = {
  /** The API key, or the public test key. */
  nokkel: string
  /** Where the service is: `https://…`, without a path. */
  url: string
  /** The language of problems' words. */
  sprak?: 'nb' | 'en'
  /** Times a question is asked before its failure is told; 4 when left out. */
  forsok?: number
  /** null: nothing is kept. Otherwise the last 500 answers are, in memory. */
  lager?: TagStore | null
  fetch?: typeof fetch
  /** What waits between attempts, in milliseconds: for tests. */
  vent?: (ms: number, signal: AbortSignal | undefined) => Promise<void>
}

export type Transport = ReturnType<typeof createTransport>

const RETRIED: ReadonlySet<number> = new Set([429, 502, 503, 504])
const WAIT_MOST_MS = 120_000
const ATTEMPTS = 4

/**
 * One question and its answer: with the key, asked again when it may be answered then, as late as `Retry-After` says, and never
 * sent an answer that is here already.
 */
export function createTransport(options: TransportOptions) {
  const { fetch: ask = fetch, vent = pause, forsok = ATTEMPTS } = options
  const store = options.lager === undefined ? memoryStore(500) : options.lager
  const base = options.url.replace(/\/+$/, '')
  const headers = {
    authorization: `Bearer ${options.nokkel}`,
    'accept-language': options.sprak ?? 'nb',
  }

  /** @throws OppslagProblem, UventetSvar, or what `fetch` throws when the last attempt got no answer */
  async function send(path: string, init: RequestInit & { signal?: AbortSignal }): Promise<Response> {
    for (let attempt = 1; ; attempt++) {
      let answer: Response
      try {
        answer = await ask(base + path, { ...init, headers: { ...headers, ...init.headers } })
      } catch (error) {
        if (attempt >= forsok || init.signal?.aborted) throw error
        await vent(backoffMs(attempt), init.signal)
        continue
      }
      if (answer.ok || answer.status === 304) return answer
      const problem = await problemIn(answer)
      if (attempt >= forsok || !RETRIED.has(answer.status)) throw problem
      await vent(waitMs(answer, attempt), init.signal)
    }
  }

  async function getPage<T>(path: string, signal?: AbortSignal): Promise<{ page: T; againAfterMs: number }> {
    const kept = store?.get(path)
    const answer = await send(path, {
      headers: { accept: 'application/json', ...(kept && { 'if-none-match': kept.etag }) },
      ...(signal && { signal }),
    })
    const againAfterMs = Math.min(WAIT_MOST_MS, retryAfterMs(answer) ?? 0)
    if (answer.status === 304 && kept !== undefined) return { page: JSON.parse(kept.body), againAfterMs }
    const body = await answer.text()
    const etag = answer.headers.get('etag')
    if (etag !== null) store?.set(path, { etag, body })
    return { page: parsed(answer.status, body) as T, againAfterMs }
  }

  return {
    send,
    vent,

    /** With how long it is to be before the next is asked for, where the service says so. */
    getPage,

    getJson: async <T>(path: string, signal?: AbortSignal): Promise<T> =>
      (await getPage<T>(path, signal)).page,
  }
}

/** The newest so many. */
export function memoryStore(most: number): TagStore {
  const kept = new Map<string, Kept>()
  return {
    get: (url) => kept.get(url),
    set(url, value) {
      kept.delete(url)
      kept.set(url, value)
      for (const oldest of kept.keys()) {
        if (kept.size <= most) return
        kept.delete(oldest)
      }
    },
  }
}

async function problemIn(answer: Response): Promise<Error> {
  const text = await answer.text()
  if (!answer.headers.get('content-type')?.includes('problem+json')) {
    return new UventetSvar(answer.status, text.slice(0, 80))
  }
  const after = retryAfterMs(answer)
  return new OppslagProblem(JSON.parse(text), after === null ? null : Math.ceil(after / 1000))
}

function parsed(status: number, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UventetSvar(status, text.slice(0, 80))
  }
}

/** RFC 9110, 10.2.3: seconds, or a date. */
function retryAfterMs(answer: Response): number | null {
  const text = answer.headers.get('retry-after')
  if (text === null) return null
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Number.isNaN(ms) ? null : Math.max(0, ms)
}

function waitMs(answer: Response, attempt: number): number {
  return Math.min(WAIT_MOST_MS, retryAfterMs(answer) ?? backoffMs(attempt))
}

/** Those that failed together do not come back together. */
function backoffMs(attempt: number): number {
  return Math.random() * 500 * 2 ** attempt
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    function stop() {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    signal?.addEventListener('abort', stop, { once: true })
  })
}
