import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLog } from '#src/core/log.ts'
import type { Story } from '#src/ops/stories.ts'
import { createStoryKeeper } from '#src/ops/story-keeper.ts'
import { findStory, keepStories } from '#src/storage/stories.ts'
import { type SampleService, startSampleService } from '#test/support/sample-service.ts'
import { SAMPLE } from '../fixtures/samples/index.ts'
import { runCommand } from '../support/command.ts'
import { eventually } from '../support/eventually.ts'
import { freePorts } from '../support/free-ports.ts'
import type { RegisterStandIn } from '../support/register-stand-in.ts'

let register: RegisterStandIn
let service: SampleService
beforeAll(async () => {
  service = await startSampleService({ isLoaded: true })
  register = service.register
})
afterAll(() => service.close())

const oppslag = (id: string) =>
  runCommand({ DATABASE_URL: service.storage.url }, ['foresporsel', 'vis', id], { isAlone: false })
/** What an operator is told, when the process has handed it over. */
async function storyOf(id: string | null | undefined): Promise<string> {
  let out = ''
  await eventually('its story is kept', async () => {
    const told = await oppslag(id ?? '')
    out = told.out
    return told.code === 0
  })
  return out
}

describe('one request', () => {
  it('P58: is told by the id in its answer: how it ended, what was asked, how long each took, and who answered it', async () => {
    register.setFault('roller', { kind: 'status', code: 503 }, { orgnr: SAMPLE.healthy })
    const answer = await service.get(`/api/bedrift/${SAMPLE.healthy}`)
    expect(answer.status).toBe(200)
    const story = await storyOf(answer.headers.get('x-request-id'))
    expect(story).toMatch(/^GET \/api\/bedrift\/:orgnr: 200 på [\d.]+ ms$/m)
    expect(story).toMatch(/, alt [0-9a-f]{8}, versjon \S+$/m)
    expect(story).toContain('Hentet: register')
    expect(story).toMatch(/^source enhet +[\d.]+ +lane=front outcome=found$/m)
    expect(story).toMatch(/^source roller +[\d.]+ +kilde_feilstatus lane=front$/m)
    // Nothing of whom it was about, or who asked.
    expect(story).not.toContain(SAMPLE.healthy)
    expect(story).not.toContain(service.token.split('_')[2] ?? '')
    register.clearFaults()
  })

  it('P58: that was shown a stale copy says so', async () => {
    await service.get(`/api/bedrift/${SAMPLE.usd}`)
    await service.tiers.cache.invalidate(SAMPLE.usd)
    const answer = await service.get(`/api/bedrift/${SAMPLE.usd}`)
    expect(answer.body.roller.tilstand).toBe('utdatert')
    expect(await storyOf(answer.headers.get('x-request-id'))).toMatch(/^cache roller +[\d.]+ +how=stale$/m)
  })

  it('P58: that was refused is told by the id in its problem', async () => {
    const refused = await service.get('/api/bedrift/123456789')
    expect(refused.status).toBe(400)
    expect(refused.body.foresporselId).toBe(refused.headers.get('x-request-id'))
    const story = await storyOf(refused.body.foresporselId)
    expect(story).toContain('GET /api/bedrift/:orgnr: 400 ugyldig_organisasjonsnummer')
    expect(story).toContain('Ingen kilde ble spurt.')
  })

  it('P58: attack: whose line of the log was put away since is told of all the same', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'oppslag-logg-'))
    try {
      const id = randomUUID()
      const file = join(folder, 'a.log')
      await writeFile(`${file}.2026-11-24T120000.000Z`, `{"foresporselId":"${id}"}\n`)
      await writeFile(file, 'en annen\n')
      const { code, out } = await runCommand(
        { DATABASE_URL: service.storage.url, LOG_FILE: file },
        ['foresporsel', 'vis', id],
        { isAlone: false },
      )
      expect([code, out]).toEqual([0, `LOGG {"foresporselId":"${id}"}\n`])
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('P58: attack: whose story is asked for while PostgreSQL is away is told of by its log', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'oppslag-logg-'))
    try {
      const id = randomUUID()
      const file = join(folder, 'a.log')
      await writeFile(file, `{"foresporselId":"${id}"}\n`)
      const [port] = await freePorts(1)
      const away = { DATABASE_URL: `postgres://nobody@127.0.0.1:${port}/none`, LOG_FILE: file }
      const { code, out, err } = await runCommand(away, ['foresporsel', 'vis', id], { isAlone: false })
      expect([code, out]).toEqual([0, `LOGG {"foresporselId":"${id}"}\n`])
      expect(err).toContain('Bare loggen er lest')
      const other = await runCommand(away, ['foresporsel', 'vis', randomUUID()], { isAlone: false })
      expect([other.code, other.out]).toEqual([1, ''])
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('P58: that nothing is kept of is not made up', async () => {
    const unknown = await oppslag('00000000-0000-4000-8000-000000000000')
    expect(unknown).toMatchObject({ code: 1, err: expect.stringContaining('Ingen historie er tatt vare på') })
    expect(await oppslag('tull')).toMatchObject({ code: 2 })
  })

  it('P58: takes room for so many of each kind, and for a while', async () => {
    const { database } = service.storage
    const story = (id: string, tid: string) => ({ id, tid })
    const by = { prosess: 'p', slag: 'front', versjon: '1' } as const
    await keepStories(database, by, [story('gammel', '2020-01-01T00:00:00Z')])
    expect(await findStory(database, 'gammel')).toBeNull()
    const kept: Story[] = []
    const keeper = createStoryKeeper({
      keep: async (stories) => void kept.push(...stories),
      log: createLog({ level: 'silent', file: null }),
      policy: { everyMs: 60_000, eachMax: 2 },
    })
    for (const status of [401, 401, 401, 401, 200, 503]) keeper.add({ status } as Story)
    await keeper.close()
    expect(kept.map(({ status }) => status)).toEqual([503, 200, 401, 401])
    expect(keeper.lost()).toBe(2)
  })

  it('P58: that PostgreSQL is too busy for once is kept all the same, and after twice is counted', async () => {
    let refusals = 1
    const kept: number[] = []
    const keeper = createStoryKeeper({
      async keep(stories) {
        if (refusals-- > 0) throw new Error('no answer in time')
        kept.push(...stories.map(({ status }) => status))
      },
      log: createLog({ level: 'silent', file: null }),
      policy: { everyMs: 1, eachMax: 10 },
    })
    keeper.add({ status: 200 } as Story)
    await eventually('it is kept', () => kept.length === 1)
    expect([kept, keeper.lost()]).toEqual([[200], 0])
    refusals = 2
    keeper.add({ status: 503 } as Story)
    await eventually('it is given up', () => keeper.lost() === 1)
    keeper.add({ status: 404 } as Story)
    await eventually('the next are kept', () => kept.length === 2)
    expect(kept).toEqual([200, 404])
    await keeper.close()
  })
})
