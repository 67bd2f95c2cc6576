import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PageFront, startPageFront } from '#test/pages/page-front.ts'
import { closedPages } from '#test/support/closed-pages.ts'

const run = promisify(execFile)

describe('P91: a client made of the document by a generator', () => {
  let front: PageFront
  let folder: string

  beforeAll(async () => {
    front = await startPageFront(closedPages())
    folder = await mkdtemp(join(tmpdir(), 'typed-client-'))
  })
  afterAll(async () => {
    await front.close()
    await rm(folder, { recursive: true, force: true })
  })

  it('compiles strictly where a section’s state is looked at before its data, and nowhere else', async () => {
    await writeFile(join(folder, 'openapi.json'), (await front.get('/openapi.json')).text)
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
    await copyFile('test/api/typed-client/client.ts.txt', join(folder, 'client.ts'))
    await run(process.execPath, [
      '--import',
      './test/api/typed-client/typescript-5.mjs',
      'node_modules/openapi-typescript/bin/cli.js',
      join(folder, 'openapi.json'),
      '--output',
      join(folder, 'api.ts'),
    ])
    const strict = [
      '--strict',
      '--noUncheckedIndexedAccess',
      '--exactOptionalPropertyTypes',
      '--noEmit',
      '--allowImportingTsExtensions',
      '--verbatimModuleSyntax',
    ]
    const compiled = run(
      process.execPath,
      [
        resolve('node_modules/typescript/bin/tsc'),
        ...strict,
        '--target',
        'esnext',
        '--module',
        'nodenext',
        'client.ts',
      ],
      { cwd: folder },
    )
    const errors = await compiled.then(
      () => '',
      ({ stdout }: { stdout: string }) => stdout,
    )
    expect(errors).toBe('')
  })
})
