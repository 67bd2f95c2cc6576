import { once } from 'node:events'
import { IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, connect, Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { policy } from '#config/policy.ts'
import { askedBy, askerIs } from '#src/core/asker.ts'
import { goOnInTurn, turnOfLoop } from '#src/http/loop-turn.ts'
import { openServer } from '#src/http/server/open-server.ts'
import { beBusyFor } from '../support/be-busy.ts'
import { turnsMeanwhile } from '../support/turns-meanwhile.ts'

const waitingReply = () => ({ raw: new ServerResponse(new IncomingMessage(new Socket())) })

/** As much as is to be done in one turn. */
const work = () => beBusyFor(policy.http.loopTurnMs)

it('P183: what twenty connections of one key ask for is done a turn each, and another’s is among the first', async () => {
  const told: string[] = []
  const ask = (of: string) =>
    askedBy(of, async () => {
      const turn = turnOfLoop(waitingReply())
      if (turn !== null) await turn
      work()
      told.push(of)
    })
  const crowd = Array.from({ length: 20 }, () => 'crowd')
  const turns = await turnsMeanwhile(() => Promise.all([...crowd, 'other'].map(ask)))
  expect(told).toHaveLength(21)
  expect(told.indexOf('other')).toBeLessThanOrEqual(2)
  expect(turns).toBeGreaterThanOrEqual(15)
})

it('P183: attack: however many networks strangers ask from, whoever has shown a key is among the first', async () => {
  const told: string[] = []
  const ask = (of: string) => async () => {
    const turn = turnOfLoop(waitingReply())
    if (turn !== null) await turn
    work()
    told.push(of)
  }
  const networks = Array.from({ length: 20 }, (_, at) => `192.0.2.${at}`)
  const crowd = networks.map((network) => askedBy(network, ask(network)))
  const customer = askedBy('192.0.2.99', () => {
    askerIs('key')
    return ask('key')()
  })
  await Promise.all([...crowd, customer])
  expect(told).toHaveLength(21)
  expect(told.indexOf('key')).toBeLessThanOrEqual(2)
})

it('P183: attack: a hundred who connect while strangers have a long line are taken before half as many of it have gone on', async () => {
  const server = openServer(policy.http, {
    trustProxy: null,
    listener: (_request, response) => response.end(),
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  let [taken, gone, goneByThen] = [0, 0, Number.POSITIVE_INFINITY]
  server.on('connection', () => {
    taken += 1
    if (taken === 100) goneByThen = gone
  })
  const line = Array.from({ length: 200 }, () =>
    askedBy('crowd', async () => {
      await turnOfLoop(waitingReply())
      work()
      gone += 1
    }),
  )
  const newcomers = Array.from({ length: 100 }, () => connect(port, '127.0.0.1'))
  await Promise.all(line)
  expect(goneByThen).toBeLessThan(50)
  for (const socket of newcomers) socket.destroy()
  await new Promise((closed) => server.close(closed))
})

it('P183: of twenty who come at once, and take their time only after they were let on, each has a turn', async () => {
  const ask = (reply: ReturnType<typeof waitingReply>) =>
    askedBy('crowd', async () => {
      await turnOfLoop(reply)
      // What is held is read.
      for (let step = 0; step < 5; step += 1) await null
      work()
    })
  const replies = Array.from({ length: 20 }, waitingReply)
  // Of this one nothing is used yet.
  await nextTurn()
  const turns = await turnsMeanwhile(() => Promise.all(replies.map(ask)))
  expect(turns).toBeGreaterThanOrEqual(15)
})

it('P183: who is gone while they wait is not begun', async () => {
  const told: string[] = []
  const replies = Array.from({ length: 20 }, waitingReply)
  const asked = replies.map((reply, at) =>
    askedBy('crowd', async () => {
      await turnOfLoop(reply)
      work()
      told.push(`${at}`)
    }),
  )
  for (const { raw } of replies.slice(5)) raw.destroy().emit('close')
  await Promise.all(asked.slice(0, 5))
  await askedBy('crowd', async () => turnOfLoop(waitingReply()))
  expect(told).toEqual(['0', '1', '2', '3', '4'])
})

it('P183: a hook that had to wait goes on with nothing in its hands, which the framework would take for a fault', async () => {
  const told: unknown[][] = []
  askedBy('crowd', () => {
    for (let at = 0; at < 2; at += 1) goOnInTurn(waitingReply(), (...of: unknown[]) => told.push(of))
  })
  await expect.poll(() => told).toEqual([[], []])
})
