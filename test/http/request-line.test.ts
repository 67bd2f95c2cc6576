import { Writable } from 'node:stream'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { requestText } from '#src/http/plugins/request-line.ts'
import type { RequestLine } from '#src/ops/request-report.ts'

const LINE: RequestLine = {
  foresporselId: '2f1c9c5e-5f0f-4b8e-9d5a-0c1d2e3f4a5b',
  metode: 'GET',
  rute: '/api/bedrift/:orgnr',
  status: 200,
  ms: 0.1,
  hentet: 'svar',
  nokkelId: 'AbCdEfGhIjKl',
}

it.each<[string, Partial<RequestLine>]>([
  ['of a company', {}],
  ['of no route, without a key', { rute: null, status: 404, ms: 12, hentet: null, nokkelId: null }],
  ['with a test key', { prove: true, ms: 0 }],
])('P128: a request’s line is what the log itself would write: %s', (_what, more) => {
  const written: string[] = []
  const output = new Writable({
    write(chunk, _encoding, done) {
      written.push(String(chunk))
      done()
    },
  })
  const at = Date.parse('2026-11-21T10:00:00.123Z')
  const log = pino({ base: null, timestamp: () => `,"time":"${new Date(at).toISOString()}"` }, output)
  const line = { ...LINE, ...more }
  log.info(line, 'request')
  expect(requestText(at, line)).toBe(written[0])
  expect(requestText(at + 1, line)).toContain('10:00:00.124Z')
})
