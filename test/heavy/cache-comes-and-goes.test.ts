import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { SAMPLE, sampleAnswers } from '../fixtures/samples/index.ts'
import { startDeployment } from '../support/deployment.ts'
import { eventually } from '../support/eventually.ts'
import { answersWithCopies, copyOf, inventNumbers } from '../support/invented-companies.ts'
import { startRegisterStandIn } from '../support/register-stand-in.ts'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'

const companies = inventNumbers(30)
const { healthy } = SAMPLE
const sample = sampleAnswers().companies.get(healthy) ?? {}

/** Two fronts and a worker that reach the cache's Redis by a way that can be spoilt. */
async function start() {
  const register = await startRegisterStandIn({ answers: answersWithCopies(companies) })
  const ways: TcpProxy[] = []
  const service = await startDeployment(register, {
    wayToCache: async (redis) => {
      const way = await startTcpProxy({ upstream: redis })
      ways.push(way)
      return `redis://${way.host}:${way.port}`
    },
  })
  const [way] = ways as [TcpProxy]
  return {
    service,
    way,
    change(orgnr: string, navn: string): void {
      const answers = copyOf(sample, healthy, orgnr, { 'TINDEVÅG SJØMAT AS': navn })
      for (const [name, answer] of Object.entries(answers)) register.set(orgnr, name as 'enhet', answer)
      register.publish('enheter', { organisasjonsnummer: orgnr, endringstype: 'Endring' })
    },
    async [Symbol.asyncDispose]() {
      await service.close()
      await way.close()
      await register.close()
    },
  }
}

/** What becomes of the way, one after the other; then it is as it was. */
const outages = {
  'longer than a page waits': [{ downMs: 27_000 }],
  'and goes again as soon as it is back': [{ downMs: 27_000 }, { downMs: 6000 }],
  'late, away and late': [{ lateMs: 5000 }, { downMs: 20_000 }, { lateMs: 8000 }, { downMs: 3000 }],
} satisfies Record<string, ({ downMs: number } | { lateMs: number })[]>

test.each(Object.entries(outages))(
  'P16: attack: with the cache’s Redis away (%s) and the worker killed meanwhile, nothing that changed stays as it was',
  async (_, steps) => {
    await using running = await start()
    const { service, way, change } = running
    for (const orgnr of companies) await service.getFromAll(`/api/bedrift/${orgnr}`)

    let isOver = false
    const spoiling = (async () => {
      for (const step of steps) {
        if ('downMs' in step) {
          await way.down()
          await pause(step.downMs)
          await way.up()
        } else {
          way.set({ kind: 'latency', ms: 2000 })
          await pause(step.lateMs)
          way.set()
        }
        await pause(2500)
      }
      isOver = true
    })()
    const killing = (async () => {
      await pause(15_000)
      await service.worker.end('SIGKILL')
      await service.start('worker')
    })()
    const reading = service.apis.map(async (api) => {
      for (let read = 0; !isOver; read++) {
        await service.get(api, `/api/bedrift/${companies[read % companies.length]}`)
        await pause(20)
      }
    })
    const names = new Map<string, string>()
    for (let nth = 0; !isOver; nth++) {
      const orgnr = companies[(nth * 7) % companies.length] ?? ''
      names.set(orgnr, `NAVN ${nth} AS`)
      change(orgnr, `NAVN ${nth} AS`)
      await pause(300)
    }
    await Promise.all([spoiling, killing, ...reading])

    expect(names.size).toBe(companies.length)
    await eventually(
      'each front says what each is called now',
      async () => {
        for (const [orgnr, navn] of names)
          for (const { body } of await service.getFromAll(`/api/bedrift/${orgnr}`))
            if (body.navn !== navn) return false
        return true
      },
      90_000,
    )
  },
  240_000,
)
