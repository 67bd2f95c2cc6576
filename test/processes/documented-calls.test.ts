import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PUBLIC_TEST_KEY } from '#src/access/public-test-key.ts'
import type { ApiDocument } from '#src/http/api-document.ts'
import { clientCode } from '#src/pages/documentation/client-code.ts'
import { type DocumentedCall, operationsOf } from '#src/pages/documentation/operations.ts'
import { SAMPLE, sampleAnswers } from '../fixtures/samples/index.ts'
import { type RegisterStandIn, startRegisterStandIn } from '../support/register-stand-in.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { putYear } from '../support/share-books.ts'

const run = promisify(execFile)

/**
 * The languages a call is shown in on its page, and how each is run. C# is made a program of first, by the compiler that
 * `apt-get install mono-mcs mono-runtime libmono-system-net-http4.0-cil` brings.
 */
const programs = [
  { language: 'curl', file: 'kall.sh', command: 'sh', needs: ['curl'] },
  { language: 'javascript', file: 'kall.mjs', command: process.execPath, needs: [process.execPath] },
  { language: 'python', file: 'kall.py', command: 'python3', needs: ['python3'] },
  { language: 'csharp', file: 'kall.cs', command: 'mono', needs: ['mcs', 'mono'] },
] as const

describe('the calls of the documentation', () => {
  let service: TestService
  let register: RegisterStandIn
  let folder: string
  let calls: DocumentedCall[]

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'calls-'))
    register = await startRegisterStandIn({ answers: sampleAnswers() })
    service = await startTestService(register, { workers: false, isLoaded: true })
    await putYear(service.storage.database, {
      aar: 2024,
      books: [{ orgnr: SAMPLE.healthy, holders: [{ n: 'EIRA EIER', f: 1980, a: [[0, 100]] }] }],
    })
    const document = await (await fetch(`${service.address}/openapi.json`)).json()
    calls = operationsOf(document as ApiDocument, 'nb')
  })
  afterAll(async () => {
    await service.close()
    await register.close()
    await rm(folder, { recursive: true })
  })

  let program: Promise<string> | null = null
  /** Each as it is printed, in a space of its own, in one program that begins the one it is told: a compiler takes long to start. */
  async function compiled(): Promise<string> {
    program ??= (async () => {
      const [source, out] = ['kall.cs', 'kall.exe'].map((name) => join(folder, name))
      const each = calls.map((call) => `namespace ${call.id} {\n${clientCode(call, service.address).csharp}}`)
      await writeFile(source ?? '', `${each.join('\n')}\n${BEGIN}`)
      // 28: it knows no asynchronous Main, which is what each has.
      await run('mcs', [
        '-warnaserror',
        '-nowarn:28',
        '-main:Begin',
        '-r:System.Net.Http.dll',
        `-out:${out}`,
        source ?? '',
      ])
      return out ?? ''
    })()
    return program
  }

  for (const { language, file, command, needs } of programs) {
    it.skipIf(!needs.every(isThere))(`each works as it is printed: ${language}`, async () => {
      expect(calls.length).toBeGreaterThanOrEqual(7)
      for (const call of calls) {
        const path = join(folder, `${call.id}-${file}`)
        await writeFile(path, clientCode(call, service.address)[language])
        // What is there already under a name is the public test key's.
        const isPublic = call.path.includes('{id}') || call.path.startsWith('/api/endepunkter')
        const NOKKEL = isPublic ? PUBLIC_TEST_KEY : service.token
        const { stdout } = await run(command, language === 'csharp' ? [await compiled(), call.id] : [path], {
          env: { ...process.env, NOKKEL },
        })
        if (call.method === 'DELETE') continue
        expect(stdout, call.id).not.toMatch(/["']?kode["']?: ["'](ugyldig|ukjent|mangler)/)
        expect(stdout.length, call.id).toBeGreaterThan(10)
      }
    })
  }
})

const BEGIN = `static class Begin {
  static void Main(string[] told) {
    var main = System.Type.GetType(told[0] + ".Program").GetMethod("Main",
      System.Reflection.BindingFlags.NonPublic | System.Reflection.BindingFlags.Static);
    ((System.Threading.Tasks.Task)main.Invoke(null, null)).GetAwaiter().GetResult();
  }
}
`

function isThere(program: string): boolean {
  return spawnSync(program, ['--version']).status === 0
}
