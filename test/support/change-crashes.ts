import { expect } from 'vitest'
import { readEnvironment } from '#config/environment.ts'
import { readKey } from '#src/core/api-key.ts'
import type { Clock } from '#src/core/clock.ts'
import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import { sendSpanAgain } from '#src/storage/push/deliveries.ts'
import { changeEndpoint } from '#src/storage/push/endpoints.ts'
import { openService, openWorkers } from '#src/wiring/service.ts'
import { SAMPLE, sampleAnswers } from '../fixtures/samples/index.ts'
import { eventually } from './eventually.ts'
import { inventNumbers } from './invented-companies.ts'
import { startJudgedReceiver } from './judged-receiver.ts'
import { makeEndpoint } from './made-endpoint.ts'
import { startProcess } from './processes.ts'
import { serverOf } from './server-of.ts'
import { call, type TestAnswer } from './service.ts'
import { type Death, startStatementProxy } from './statement-proxy.ts'
import { startSurroundings } from './surroundings.ts'
import { startTcpProxy } from './tcp-proxy.ts'
import type { Conduct } from './webhook-receiver.ts'

/**
 * Where a worker dies, from the register's event to the receiver's yes: as the register is asked, as the receiver has been
 * handed the message, or at a statement.
 */
export type ChangeDeath = { at: 'fetch' | 'delivered' } | Death

/** Each step of a change's way, before and after. */
export const changeDeaths: Readonly<Record<string, ChangeDeath>> = {
  'the register is asked': { at: 'fetch' },
  ...around('the difference is written', { statement: /^insert into endring\b/ }),
  ...around('it becomes visible', { statement: /^commit/, follows: /^insert into endring\b/ }),
  ...around('it is queued', { statement: /insert into levering\b/ }),
  ...around('the place in the log moves', { statement: /^commit/, follows: /^update leveringspeker/ }),
  'the receiver has it': { at: 'delivered' },
  ...around('it is acknowledged', { statement: /update levering set tilstand = 'levert'/ }),
}

function around(name: string, where: Omit<Death, 'when'>): Record<string, ChangeDeath> {
  return {
    [`before ${name}`]: { ...where, when: 'before' },
    [`after ${name}`]: { ...where, when: 'after' },
  }
}

/** How a worker dies: all its connections are cut within this process, or it is a process of its own and killed. */
export type Manner = 'cut' | 'killed'

type Mortal = { died: Promise<void>; end(): Promise<void> }

const PATH = '/mottak'

/**
 * A front that goes on, a register, a receiver, and companies that a key watches, in all ways; workers come and die. The front
 * does no background work.
 */
export async function openChangeWorld(companies: number, more: Readonly<Record<string, string>> = {}) {
  const numbers = inventNumbers(companies)
  const around = await startSurroundings({ copies: numbers })
  const receiver = await startJudgedReceiver()
  const variables = { ...around.variables(), WEBHOOK_HOSTS: receiver.origin, LOG_LEVEL: 'silent', ...more }
  const front = await openService(readEnvironment({ ...variables, PORT: '0', OPS_PORT: '0' }), {
    workers: false,
  })
  const address = await front.listen()
  const { database } = around.storage
  const key = readKey(around.token)
  if (typeof key === 'string') throw new Error(key)
  const { id: eier } = key
  const mortals: Mortal[] = []
  let endpoint = ''
  /** Every name a company has had, oldest first. */
  const names = new Map<string, string[]>()

  /** As a client does: a busy service says when to come again. */
  async function asked(method: string, path: string, body?: unknown): Promise<TestAnswer['body']> {
    const { token } = around
    let answer = await call(address + path, method, { token, body })
    await eventually('there is time for it', async () => {
      if (answer.status === 503) answer = await call(address + path, method, { token, body })
      return answer.status !== 503
    })
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300)
    return answer.body
  }

  /** The register has it under another name from now on, and tells of it. */
  function rename(orgnr: string, name: string): void {
    const { enhet } = sampleAnswers().companies.get(SAMPLE.healthy) ?? {}
    if (enhet === undefined || !('json' in enhet)) throw new Error('expected a unit')
    const unit = JSON.parse(JSON.stringify(enhet.json).replaceAll(SAMPLE.healthy, orgnr))
    around.register.set(orgnr, 'enhet', { status: 200, json: { ...unit, navn: name } })
    const endringer = [{ op: 'replace', path: '/navn', value: name }]
    around.register.publish('enheter', { organisasjonsnummer: orgnr, endringstype: 'Endring', endringer })
    names.set(orgnr, [...(names.get(orgnr) ?? [unit.navn]), name])
  }

  /** A worker that dies there, or lives. */
  async function startWorker(
    death: ChangeDeath | null,
    manner: Manner = 'cut',
    other: Readonly<Record<string, string>> = {},
  ): Promise<Mortal> {
    const { promise, resolve } = Promise.withResolvers<void>()
    let kill = () => {}
    const onDeath = () => {
      kill()
      resolve()
    }
    const proxy = await startStatementProxy(around.storage.url, onDeath)
    const way = await startTcpProxy({ upstream: serverOf(around.register.url) })
    const url = `http://${way.host}:${way.port}`
    const own = {
      ...variables,
      DATABASE_URL: proxy.url,
      REGISTER_URL: url,
      KUNNGJORING_URL: url,
      KLASS_URL: url,
      OPS_PORT: '0',
      ...other,
    }
    const die = () => {
      proxy.cut()
      void way.down()
      onDeath()
    }
    if (death !== null && 'statement' in death) void proxy.dieAt(death).then(() => way.down())
    let isUp = false
    if (death !== null && 'at' in death) {
      doomed.add({ at: death.at, die, isUp: () => isUp })
      // It dies while it waits for the answer.
      if (death.at === 'fetch') around.register.setFault('enhet', { kind: 'hang' })
      around.register.calls.reset()
    }
    let close: () => Promise<unknown>
    if (manner === 'killed') {
      const { LOG_LEVEL: _, ...told } = own
      const process = await startProcess('worker', told)
      kill = () => void process.end('SIGKILL')
      close = () => process.end('SIGKILL')
    } else {
      const workers = await openWorkers(readEnvironment(own))
      close = workers.close
    }
    isUp = true
    if (death !== null && 'at' in death && overdue.delete(death.at)) happened(death.at)
    let ending: Promise<void> | null = null
    const mortal: Mortal = {
      died: promise,
      end() {
        ending ??= close().then(async () => void (await Promise.all([proxy.close(), way.close()])))
        return ending
      },
    }
    mortals.push(mortal)
    return mortal
  }

  /** One that lives, with a clock of its own. */
  async function startWithClock(clock: Clock): Promise<void> {
    const service = await openService(readEnvironment({ ...variables, PORT: '0', OPS_PORT: '0' }), {
      workers: true,
      clock,
    })
    mortals.push({ died: new Promise(() => {}), end: service.close })
  }

  /** Those who die when something happens elsewhere: the first of two that is up. Who is cut off before that waits for its stores. */
  const doomed = new Set<{ at: 'fetch' | 'delivered'; die: () => void; isUp: () => boolean }>()
  const overdue = new Set<'fetch' | 'delivered'>()
  function happened(at: 'fetch' | 'delivered'): void {
    const those = [...doomed].filter((each) => each.at === at)
    if (those.length === 0) return
    const one = those.find(({ isUp }) => isUp())
    if (one === undefined) {
      overdue.add(at)
      return
    }
    for (const each of doomed) if (each.at === at) doomed.delete(each)
    one.die()
  }
  receiver.onArrival(() => happened('delivered'))
  const watch = setInterval(() => {
    if (![...doomed].some(({ at }) => at === 'fetch') || around.register.calls.count('enhet') === 0) return
    around.register.clearFaults()
    happened('fetch')
  }, 5)

  /** What a dead worker held alone is free again, as if its time had run out. */
  async function leasesRunOut(): Promise<void> {
    await database.query('update feed_posisjon set leid_til = now()')
    await database.query(`update endepunkt set laas_til = '-infinity'`)
  }

  type Read = {
    id: string
    organisasjonsnummer: string
    type: string
    felter: { felt: string; for: unknown; etter: unknown }[]
  }

  /** The whole log as the key reads it, a few at a time. */
  async function pull(): Promise<Read[]> {
    const all: Read[] = []
    for (let etter: string | null = null; ; ) {
      const query = etter === null ? '' : `&etter=${etter}`
      const page = (await asked('GET', `/api/endringer?size=7${query}`)) as {
        endringer: Read[]
        neste: string
        flere: boolean
      }
      all.push(...page.endringer)
      etter = page.neste
      if (!page.flere) return all
    }
  }

  return {
    numbers: numbers as readonly Organisasjonsnummer[],
    register: around.register,
    receiver,
    database,
    databaseUrl: around.storage.url,
    rename,
    startWorker,
    startWithClock,
    leasesRunOut,
    pull,
    conduct: (conduct: Conduct, times?: number) => receiver.conduct(PATH, conduct, times),

    /** The endpoint is switched on, and all since then is asked for again. */
    async sendAgain(from: Date): Promise<void> {
      const wish = { adresse: receiver.origin + PATH, typer: null, isOn: true, by: null }
      await changeEndpoint(database, eier, endpoint, wish)
      await sendSpanAgain(database, endpoint, { from, to: new Date() }, { most: 1000, perHourMax: 1000 })
    },

    /** All are watched and have been looked at, and the key has an endpoint at the receiver. */
    async begin(): Promise<void> {
      await asked('POST', '/api/overvaking', numbers)
      const made = await makeEndpoint(database, eier, receiver.origin + PATH)
      endpoint = made.id
      receiver.trust(PATH, made.secret)
      for (const orgnr of numbers) await asked('GET', `/api/bedrift/${orgnr}`)
      await eventually('all have been looked at', async () => {
        const rows = await database.query(`select 1 from grunnlag where kilde = 'enhet'`)
        return rows.length === numbers.length
      })
      around.register.calls.reset()
    },

    /**
     * Each name was told of once, in order, by the log and by the webhooks alike.
     *
     * @param isLong as if minutes passed meanwhile: what was lost on the way is asked for again
     */
    async holds({ isLong = false }: { isLong?: boolean } = {}): Promise<void> {
      const renamed = [...names]
      let log: Read[] = []
      await eventually(
        'the last name of each is told of, and taken',
        async () => {
          if (isLong)
            await database.query(`update registerhendelse set lest_at = lest_at - interval '1 minute'`)
          log = await pull()
          if (!renamed.every(([orgnr, all]) => lastName(log, orgnr) === all.at(-1))) return false
          // In this order: what is in the log has been gone through, and what came of it has been taken.
          const [moved] = await database.query<{ all: boolean }>(
            'select (select nr from leveringspeker) >= coalesce((select max(nr) from endring), 0) as all',
          )
          const waiting = await database.query(`select 1 from levering where tilstand = 'venter'`)
          return moved?.all === true && waiting.length === 0
        },
        120_000,
      )
      expect(new Set(log.map(({ id }) => id)).size).toBe(log.length)
      for (const [orgnr, all] of renamed) {
        const own = log.filter(({ organisasjonsnummer }) => organisasjonsnummer === orgnr)
        const steps = own.flatMap(nameStep)
        // What came before it was read may be passed over; nothing is told twice, and each goes on where the one before ended.
        expect(steps.map(([before]) => before)).toEqual([
          all[0],
          ...steps.slice(0, -1).map(([, after]) => after),
        ])
        expect(steps.at(-1)?.[1]).toBe(all.at(-1))
        expect(
          inOrder(
            steps.map(([, after]) => after as string),
            all,
          ),
        ).toBe(true)

        const arrived = receiver.arrived.filter(({ body }) => body.includes(orgnr))
        expect(arrived.every(({ isSigned }) => isSigned === true)).toBe(true)
        const ids = [...new Set(arrived.map(({ id }) => id))]
        // Exactly one id for each change, and the same body's change on each attempt.
        expect(ids).toHaveLength(own.length)
        expect(new Set(arrived.map(({ id, body }) => `${id} ${changeIn(body)}`)).size).toBe(ids.length)
        const taken = arrived.filter(({ conduct }) => isYes(conduct))
        const order = [...new Set(taken.map(({ body }) => changeIn(body)))]
        expect(order).toEqual(own.map(({ id }) => id))
      }
    },

    async close(): Promise<void> {
      clearInterval(watch)
      await Promise.all(mortals.map((each) => each.end()))
      await front.close()
      await receiver.close()
      await around.close()
    },
  }

  function lastName(log: readonly Read[], orgnr: string): unknown {
    return log
      .filter(({ organisasjonsnummer }) => organisasjonsnummer === orgnr)
      .flatMap(nameStep)
      .at(-1)?.[1]
  }
}

/** The head of an answer decides. */
function isYes(conduct: Conduct): boolean {
  return typeof conduct === 'object' ? conduct.status < 300 : ['endless', 'too-short'].includes(conduct)
}

/** The name before and after, of a change of name. */
function nameStep({
  type,
  felter,
}: {
  type: string
  felter: { felt: string; for: unknown; etter: unknown }[]
}) {
  if (type !== 'foretak.navn.endret') return []
  const step = felter.find(({ felt }) => felt === '/navn')
  return step === undefined ? [] : [[step.for, step.etter] as const]
}

/** Whether they come in this order, some of them perhaps left out. */
function inOrder(some: readonly string[], all: readonly string[]): boolean {
  let at = 0
  return some.every((each) => {
    at = all.indexOf(each, at) + 1
    return at > 0
  })
}

function changeIn(body: string): string {
  return (JSON.parse(body) as { data: { id: string } }).data.id
}
