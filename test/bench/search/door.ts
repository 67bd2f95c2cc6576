import { type ServiceProcess, startProcess } from '#test/support/processes.ts'
import { issueToken } from '#test/support/service.ts'
import { share } from '../row.ts'
import type { Place } from './place.ts'

/** A front as it is shipped over the index of this place, asked by one who types: one question after the other. */
export async function openDoor({ storage, registerUrl, folder }: Place) {
  const token = await issueToken({ database: storage.database })
  const front: ServiceProcess = await startProcess('api', {
    DATABASE_URL: storage.url,
    DATA_DIR: folder,
    MILJO: 'test',
    KANARI: 'av',
    SOKEINDEKS: 'paa',
    REGISTER_URL: registerUrl,
    KUNNGJORING_URL: registerUrl,
    KLASS_URL: registerUrl,
  })

  async function ask(path: string): Promise<number> {
    const startedAt = performance.now()
    const answer = await fetch(front.address + path, { headers: { authorization: `Bearer ${token}` } })
    const body = (await answer.json()) as { grunnlag?: string }
    if (body.grunnlag !== 'indeks') throw new Error(`${path}: ${answer.status} ${JSON.stringify(body)}`)
    return performance.now() - startedAt
  }

  return {
    /** Milliseconds of each. A question that was asked before is answered from memory: each is asked once. */
    async times(paths: readonly string[]): Promise<number[]> {
      const times = []
      for (const path of paths) times.push(await ask(path))
      return times
    },
    close: () => front.end('SIGTERM'),
  }
}

export const forslag = (q: string) => `/api/bedrift/forslag?q=${encodeURIComponent(q)}`
export const sok = (q: string) => `/api/bedrift/sok?q=${encodeURIComponent(q)}`

/** Whoever types a text of two letters or more, letter by letter. */
export function typed(texts: readonly string[]): string[] {
  const beginnings = new Set<string>()
  for (const text of texts) {
    const letters = [...text]
    for (let length = 2; length <= Math.min(TYPED_MAX, letters.length); length += 1)
      beginnings.add(letters.slice(0, length).join('').trim())
  }
  return [...beginnings].filter((beginning) => [...beginning].length >= 2)
}

export const p = (part: number, times: readonly number[]) => share(times, part)

const TYPED_MAX = 14
