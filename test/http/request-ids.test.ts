import { expect, it } from 'vitest'
import { nextRequestId } from '#src/http/request-ids.ts'

it('ids of requests are UUIDs that are drawn, each another', () => {
  const ids = Array.from({ length: 5000 }, nextRequestId)
  expect(new Set(ids).size).toBe(ids.length)
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  // RFC 9562, 5.4: version 4, variant 10; all else is drawn.
  expect(new Set(ids.map((id) => id[14]))).toEqual(new Set('4'))
  expect(new Set(ids.map((id) => id[19]))).toEqual(new Set('89ab'))
  for (const place of [0, 7, 9, 15, 20, 24, 35]) expect(new Set(ids.map((id) => id[place])).size).toBe(16)
})
