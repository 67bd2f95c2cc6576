import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CACHE_CHANNEL } from '#src/cache/events.ts'
import { answersWithCopies, inventNumbers } from '../support/invented-companies.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { startTestService, type TestService } from '../support/service.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const catalogue = answersWithCopies(inventNumbers(1))
const [orgnr = ''] = catalogue.companies.keys()

let register: RegisterStandIn
let service: TestService

beforeAll(async () => {
  register = await startRegisterStandIn({ answers: catalogue })
  service = await startTestService(register, { workers: false })
})
afterAll(async () => {
  await service.close()
  await register.close()
})

/**
 * The files that wait for whoever is told here, from the top down. Those of the ground, where turns are taken and steps traced,
 * are not among them, nor those that tell; what is asked on the way and has answered is no part of it.
 */
function wayHere(): string[] {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 200
  const frames = (new Error('here').stack ?? '').split('\n').toReversed()
  Error.stackTraceLimit = stackTraceLimit
  const files = frames.flatMap((frame) => frame.replace(root, '').match(/\bsrc\/[\w./-]+\.ts/) ?? [])
  return files
    .filter((file) => !file.startsWith('src/core/') && !TELLERS.has(file))
    .filter((file, index, all) => file !== all[index - 1])
}

/** Of an event, and of a step to whoever keeps the stories of requests. */
const TELLERS: ReadonlySet<string> = new Set(['src/cache/events.ts', 'src/ops/stories.ts'])

/** Each way to a fill, and each from there to the register. */
async function followed(
  read: () => Promise<unknown>,
): Promise<{ toFills: string[][]; toRegister: string[][] }> {
  const seen = { toFills: [] as string[][], toRegister: [] as string[][] }
  const onCache = (event: unknown) => {
    if ((event as { kind: string }).kind === 'miss') seen.toFills.push(wayHere())
  }
  const onRequest = () => {
    const way = wayHere()
    if (way.length > 0) seen.toRegister.push(way)
  }
  subscribe(CACHE_CHANNEL, onCache)
  subscribe('undici:request:create', onRequest)
  try {
    await read()
  } finally {
    unsubscribe(CACHE_CHANNEL, onCache)
    unsubscribe('undici:request:create', onRequest)
  }
  return seen
}

it('P80: a cold record goes down and comes back once, in at most 14 files and none of them twice', async () => {
  const { toFills, toRegister } = await followed(async () => {
    expect((await service.get(`/api/bedrift/${orgnr}`)).status).toBe(200)
  })
  const [unit] = toFills
  const [asked] = toRegister
  expect(toFills.length).toBe(toRegister.length)
  for (const way of [...toFills, ...toRegister]) expect(way, way.join(' → ')).toEqual([...new Set(way)])

  // Another goes on with the fill than waits for it, so the way is seen in two parts.
  const down = [...new Set([...(unit ?? []), ...(asked ?? [])])]
  const told = readFileSync(new URL('../../src/README.md', import.meta.url), 'utf8')
  const way = told.slice(
    told.indexOf('## The way of a record'),
    told.indexOf('The sections of our own archive'),
  )
  const rows = [...way.matchAll(/^\|[^|]*\|[^|]*?\]\(([\w./-]+\.ts)\)[^|]*\|/gm)].map(
    ([, file]) => `src/${file}`,
  )
  expect(rows.slice(0, down.length)).toEqual(down)
  expect(rows.length).toBeLessThanOrEqual(14)
  expect(new Set(rows).size).toBe(rows.length)
})
