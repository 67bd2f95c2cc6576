import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { ConfigurationError } from '#src/core/errors.ts'
import { createLog } from '#src/core/log.ts'

const run = promisify(execFile)

describe('the log', () => {
  it('a file that can not be is one line that names the variable, before anything is started', () => {
    const file = `${import.meta.filename}/log`
    expect(() => createLog({ level: 'info', file })).toThrow(ConfigurationError)
    expect(() => createLog({ level: 'info', file })).toThrow(/^LOG_FILE: .+\(E[A-Z]+\)\. .+$/)
  })

  it.runIf(existsSync('/dev/full'))(
    'a full disk costs its lines and one line on stderr, and the process ends as ever',
    async () => {
      const program = `
      import { createLog } from '#src/core/log.ts'
      const log = createLog({ level: 'info', file: '/dev/full' })
      for (let n = 0; n < 20; n++) {
        log.info('a line')
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
      process.stdout.write('still here')
      process.exit(0)`
      const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '--eval', program], {
        timeout: 15_000,
      })
      expect(stdout).toBe('still here')
      expect(stderr).toBe('The log can not be written (ENOSPC): lines of it are lost.\n')
    },
  )
})
