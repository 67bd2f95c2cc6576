import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { expect, it } from 'vitest'
import { readFrontMessage } from '#src/commands/fronts/messages.ts'
import { UNREADABLE_CHANNEL } from '#src/core/unreadable.ts'

it('P105: what fronts tell each other is of its shape, or counted and left', () => {
  const doors: unknown[] = []
  const onUnreadable = (door: unknown) => void doors.push(door)
  subscribe(UNREADABLE_CHANNEL, onUnreadable)
  try {
    const wrong = [
      null,
      undefined,
      'x',
      7,
      {},
      { listens: 8080 },
      { listens: '' },
      { lost: -1 },
      { lost: '7' },
    ]
    for (const message of wrong) expect(readFrontMessage(message)).toBeNull()
    expect(doors).toEqual(wrong.map(() => 'front'))
    expect(readFrontMessage({ listens: 'http://127.0.0.1:1' })).toEqual({ listens: 'http://127.0.0.1:1' })
    expect(readFrontMessage({ lost: 3 })).toEqual({ lost: 3 })
  } finally {
    unsubscribe(UNREADABLE_CHANNEL, onUnreadable)
  }
})
