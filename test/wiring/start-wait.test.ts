import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { readEnvironment } from '#config/environment.ts'
import { createStartWait } from '#src/wiring/start-wait.ts'
import { askedAtOnce } from '#test/support/asked-at-once.ts'
import { freePorts } from '#test/support/free-ports.ts'

const OBSTACLE = { del: 'database', kode: 'klargjores', tekst: 'It is made ready.' }
let close = async () => {}

afterEach(() => close())

async function waitAtTwo() {
  const ports = await freePorts(2)
  const [front, operators] = ports.map((port) => ({ host: '127.0.0.1', port }))
  if (front === undefined || operators === undefined) throw new Error('there are two')
  const waiting = createStartWait(readEnvironment({ MILJO: 'test' }), [front, operators])
  close = waiting.close
  const statusAt = ({ port }: { port: number }) =>
    fetch(`http://127.0.0.1:${port}/health/ready`).then(
      ({ status }) => status,
      () => null,
    )
  return { waiting, front, operators, statusAt }
}

it('P37: where it has begun to say that it waits it goes on when what it waited for is there, until the service is to listen', async () => {
  const { waiting, front, operators, statusAt } = await waitAtTwo()
  await waiting.say(OBSTACLE)
  await waiting.during(Promise.resolve(), OBSTACLE)
  expect([await statusAt(front), await statusAt(operators)]).toEqual([503, 503])

  await waiting.leave([operators])
  expect([await statusAt(front), await statusAt(operators)]).toEqual([503, null])

  await waiting.leave([front])
  const next = createServer().listen(front)
  await once(next, 'listening')
  next.close()
})

it('P37: attack: they who came while the event loop was at something else, just before it leaves, are answered', async () => {
  const { waiting, front, statusAt } = await waitAtTwo()
  await waiting.say(OBSTACLE)
  const asked = Array.from({ length: 100 }, () => askedAtOnce(front).answer)
  // The system has taken them, and nobody else has.
  await new Promise<void>((resolve) => process.nextTick(resolve))
  await waiting.leave([front])
  expect(await statusAt(front)).toBeNull()
  expect(new Set(await Promise.all(asked))).toEqual(new Set(['HTTP/1.1 503']))
})

it('P37: what is waited for again is said again, wherever it was left before', async () => {
  const { waiting, front, operators, statusAt } = await waitAtTwo()
  await waiting.say(OBSTACLE)
  await waiting.leave([operators])
  await waiting.close()
  await waiting.say(OBSTACLE)
  expect([await statusAt(front), await statusAt(operators)]).toEqual([503, 503])
})
