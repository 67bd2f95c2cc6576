import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SAMPLE, sampleAnswers } from '../fixtures/samples/index.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { read } from './texts.ts'

const run = promisify(execFile)

/** How each language of the first page is run, and what must be on the machine for it. */
const languages = [
  { language: 'sh', file: 'kall.sh', command: 'sh', needs: 'curl' },
  { language: 'js', file: 'foretak.mjs', command: process.execPath, needs: process.execPath },
  { language: 'python', file: 'foretak.py', command: 'python3', needs: 'python3' },
]

/** Those of the documentation, call by call: test/processes. */
describe('the clients of the first page', () => {
  let register: RegisterStandIn
  let service: TestService
  let folder: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'examples-'))
    register = await startRegisterStandIn({ answers: sampleAnswers() })
    service = await startTestService(register, { workers: false, isLoaded: true })
  })
  afterAll(async () => {
    await service.close()
    await register.close()
    await rm(folder, { recursive: true })
  })

  it('are all run here', () => {
    const shown = [...read('README.md').matchAll(/^```(\w+)$/gm)].map(([, language]) => language)
    expect(shown).toEqual(languages.map(({ language }) => language))
  })

  for (const { language, file, command, needs } of languages) {
    it.skipIf(!isThere(needs))(`${language} works as it is printed`, async () => {
      const path = join(folder, file)
      await writeFile(path, exampleIn(language).replaceAll('http://127.0.0.1:8080', service.address))
      const { stdout } = await run(command, [path, SAMPLE.healthy], {
        env: { ...process.env, NOKKEL: service.token },
      })
      expect(stdout).toContain('TINDEVÅG SJØMAT AS')
    })
  }
})

/** The key is the reader's own. */
function exampleIn(language: string): string {
  const found = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(read('README.md'))?.[1]
  return (found ?? '').replace(/^export NOKKEL=.*$/m, '')
}

function isThere(program: string): boolean {
  return spawnSync(program, ['--version']).status === 0
}
