import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { expect, it } from 'vitest'
import { QUEUE_CHANNEL, type QueueEvent } from '#src/queue/events.ts'
import { lanes } from '#src/queue/jobs.ts'
import { SAMPLE } from '#test/fixtures/samples/index.ts'
import { eventually } from '#test/support/eventually.ts'
import { startSampleService } from '#test/support/sample-service.ts'

it('P36: told to end, a process that also works lets its jobs come to their end while readers are still answered', async () => {
  const working = new Set<string>()
  let done = 0
  const told = (message: unknown) => {
    const event = message as QueueEvent
    if (event.kind === 'done' && event.job === 'refresh-company') done += 1
    if (event.kind !== 'working') return
    if (event.isWorking) working.add(event.lane)
    else working.delete(event.lane)
  }
  // Before the lanes are begun to be worked off, which is told once.
  subscribe(QUEUE_CHANNEL, told)
  const service = await startSampleService({ workers: true, isLoaded: true })
  const held = Promise.withResolvers<void>()
  const refresh = (organisasjonsnummer: string) =>
    service.tiers.queue.enqueue('refresh-company', [{ organisasjonsnummer, seksjon: 'roller' }])
  try {
    await eventually('all lanes are worked off', () => lanes.every((lane) => working.has(lane)))
    service.register.setFault('roller', { kind: 'hold', until: held.promise })
    await refresh(SAMPLE.usd)
    await eventually('a job is being done', () => service.register.calls.inFlight('roller') === 1)

    void service.drain()
    await eventually('only the lane of that job is not done with', () => working.size === 0)
    expect(service.register.calls.inFlight('roller')).toBe(1)
    await refresh(SAMPLE.holding)
    held.resolve()
    expect((await service.get(`/api/bedrift/${SAMPLE.healthy}`)).status).toBe(200)
    expect((await service.getBare('/health/ready')).status).toBe(503)
    await eventually('the job has been done', async () => {
      const depths = await service.tiers.queue.depths()
      return depths.every(({ active }) => active === 0)
    })
    const left = (await service.tiers.queue.depths()).reduce((sum, { waiting }) => sum + waiting, 0)
    // Whoever was just woken as it was told to end takes one more, which comes to its end as well.
    expect(done + left).toBe(2)
  } finally {
    held.resolve()
    unsubscribe(QUEUE_CHANNEL, told)
    await service.close()
  }
})
