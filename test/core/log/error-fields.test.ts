import { expect, it } from 'vitest'
import { errorFields } from '#src/core/log/error-fields.ts'

it.each([
  [
    'a row that is there',
    { code: '23505', message: 'duplicate key', detail: 'Key (epost)=(kari@example.com)' },
  ],
  [
    'a value that is none',
    { code: '22P02', message: 'invalid input syntax for type integer: "kari@example.com"' },
  ],
  [
    'a line that was read in',
    { code: '22001', message: 'too long', where: 'COPY ordre, line 1: kari@example.com' },
  ],
])(
  'P40: of an error of PostgreSQL about %s, nothing of what it is about is logged',
  (_, { message, ...said }) => {
    const refused = Object.assign(new Error(message), { severity: 'ERROR', ...said })
    const logged = JSON.stringify(errorFields(new Error('not stored', { cause: refused })))
    expect(logged).toContain('not stored')
    expect(logged).not.toContain('kari')
    expect(errorFields(refused)).toMatchObject({ code: said.code })
    expect(JSON.stringify(errorFields(refused))).not.toContain('kari')
  },
)
