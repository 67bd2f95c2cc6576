import { expect, it } from 'vitest'
import { isoFromNorway } from '#src/core/norwegian-time.ts'

it.each([
  ['1998-04-02 10:11:12', '1998-04-02T10:11:12+02:00'],
  ['1995-03-12 16:23:00', '1995-03-12T16:23:00+01:00'],
  ['2007-10-01T06:44:33.5', '2007-10-01T06:44:33.5+02:00'],
  // The last hour before and the first after the clock is set, both ways; the hour that comes twice is the first.
  ['2026-03-29 01:59:59', '2026-03-29T01:59:59+01:00'],
  ['2026-03-29 03:00:00', '2026-03-29T03:00:00+02:00'],
  ['2026-10-25 01:59:59', '2026-10-25T01:59:59+02:00'],
  ['2026-10-25 02:30:00', '2026-10-25T02:30:00+02:00'],
  ['2026-10-25 03:00:00', '2026-10-25T03:00:00+01:00'],
  ['1998-04-02', '1998-04-02'],
])('%s in Norway is %s', (text, iso) => {
  expect(isoFromNorway(text)).toBe(iso)
})

it.each(['', 'i går', '1998-02-31 10:11:12', '1998-04-02 25:00:00', '02.04.1998', '1998-04-02 10:11:12 '])(
  '"%s" is no moment',
  (text) => {
    expect(isoFromNorway(text)).toBeNull()
  },
)
