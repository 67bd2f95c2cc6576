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

/** Before what each call prints. */
const MARK = '== '

/**
 * The languages a call is shown in on its page, and how one program runs them all, one after the other, told the name, the file and the
 * key of each: most of the time an interpreter takes is its start. C# is made a program of first, by the compiler that
 * `apt-get install mono-mcs mono-runtime libmono-system-net-http4.0-cil` brings.
 */
const programs = [
  {
    language: 'curl',
    ending: 'sh',
    command: 'sh',
    needs: ['curl'],
    all: `set -e
while [ $# -gt 0 ]; do
  echo "${MARK}$1"
  NOKKEL=$3 sh "$2"
  shift 3
done
`,
  },
  {
    language: 'javascript',
    ending: 'mjs',
    command: process.execPath,
    needs: [process.execPath],
    all: `for (let told = process.argv.slice(2); told.length > 0; told = told.slice(3)) {
  console.log('${MARK}' + told[0])
  process.env.NOKKEL = told[2]
  await import(told[1])
}
`,
  },
  {
    language: 'python',
    ending: 'py',
    command: 'python3',
    needs: ['python3'],
    all: `import os, runpy, sys
told = sys.argv[1:]
while told:
    print('${MARK}' + told[0], flush=True)
    os.environ['NOKKEL'] = told[2]
    runpy.run_path(told[1], run_name='__main__')
    told = told[3:]
`,
  },
  { language: 'csharp', ending: 'cs', command: 'mono', needs: ['mcs', 'mono'], all: null },
] as const

describe('the calls of the documentation', () => {
  let service: TestService
  let register: RegisterStandIn
  let folder: string
  let calls: DocumentedCall[]

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'calls-'))
    register = await startRegisterStandIn({ answers: sampleAnswers() })
    service = await startTestService(register, {
      workers: false,
      isLoaded: true,
      async seed({ database }) {
        await putYear(database, {
          aar: 2024,
          books: [{ orgnr: SAMPLE.healthy, holders: [{ n: 'EIRA EIER', f: 1980, a: [[0, 100]] }] }],
        })
      },
    })
    const document = await (await fetch(`${service.address}/openapi.json`)).json()
    calls = operationsOf(document as ApiDocument, 'nb')
  })
  afterAll(async () => {
    await service.close()
    await register.close()
    await rm(folder, { recursive: true })
  })

  for (const { language, ending, command, needs, all } of programs) {
    it.skipIf(!needs.every(isThere))(`each works as it is printed: ${language}`, async () => {
      expect(calls.length).toBeGreaterThanOrEqual(7)
      const program = all === null ? await compiled(calls, service.address) : join(folder, `alle.${ending}`)
      if (all !== null) await writeFile(program, all)
      const told = calls.map(async (call) => {
        const path = join(folder, `${call.id}.${ending}`)
        await writeFile(path, clientCode(call, service.address)[language])
        // What is there already under a name is the public test key's.
        const isPublic = call.path.includes('{id}') || call.path.startsWith('/api/endepunkter')
        return [call.id, path, isPublic ? PUBLIC_TEST_KEY : service.token]
      })
      const { stdout } = await run(command, [program, ...(await Promise.all(told)).flat()])
      const [before, ...printed] = stdout.split(MARK)
      expect(before).toBe('')
      expect(printed.map((each) => each.split(/\r?\n/)[0])).toEqual(calls.map(({ id }) => id))
      for (const [at, call] of calls.entries()) {
        const said = (printed[at] ?? '').slice(call.id.length).trim()
        if (call.method === 'DELETE') continue
        expect(said, call.id).not.toMatch(/["']?kode["']?: ["'](ugyldig|ukjent|mangler)/)
        expect(said.length, call.id).toBeGreaterThan(10)
      }
    })
  }

  /** Each as it is printed, in a space of its own, in one program: a compiler takes long to start. */
  async function compiled(calls: readonly DocumentedCall[], address: string): Promise<string> {
    const source = join(folder, 'alle.cs')
    const out = join(folder, 'alle.exe')
    const each = calls.map((call) => `namespace ${call.id} {\n${clientCode(call, address).csharp}}`)
    await writeFile(source, `${each.join('\n')}\n${BEGIN}`)
    // 28: it knows no asynchronous Main, which is what each has.
    const options = ['-warnaserror', '-nowarn:28', '-main:Begin', '-r:System.Net.Http.dll', `-out:${out}`]
    await run('mcs', [...options, source])
    return out
  }
})

const BEGIN = `static class Begin {
  static void Main(string[] told) {
    for (var at = 0; at < told.Length; at += 3) {
      System.Console.WriteLine("${MARK}" + told[at]);
      System.Environment.SetEnvironmentVariable("NOKKEL", told[at + 2]);
      var main = System.Type.GetType(told[at] + ".Program").GetMethod("Main",
        System.Reflection.BindingFlags.NonPublic | System.Reflection.BindingFlags.Static);
      ((System.Threading.Tasks.Task)main.Invoke(null, null)).GetAwaiter().GetResult();
    }
  }
}
`

function isThere(program: string): boolean {
  return spawnSync(program, ['--version']).status === 0
}
