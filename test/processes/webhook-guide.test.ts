import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readGuide } from '#src/pages/documentation/guides.ts'
import { signatureHeaders, writtenSecret } from '#src/push/signature.ts'

const secrets = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
const body = Buffer.from('{"type":"prove","data":{"navn":"Blåbær AS"}}')
const signed = (at = new Date()) => signatureHeaders({ id: 'endring_17', at, body, secrets })
const hasPython = spawnSync('python3', ['--version']).status === 0

describe.each(['nb', 'en'] as const)('the receivers of the guide (%s)', (language) => {
  const { markdown } = readGuide('webhooks', language, 'http://127.0.0.1:8080')
  const code = (name: string) =>
    new RegExp(`^\`\`\`${name}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(markdown)?.[1] ?? ''
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'webhooks-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  it('P125: that in JavaScript takes what was signed with either secret, and nothing else', async () => {
    const path = join(folder, 'motta.mjs')
    await writeFile(path, code('js'))
    const { lesMelding } = await import(pathToFileURL(path).href)
    for (const secret of secrets)
      expect(lesMelding(writtenSecret(secret), signed(), body)).toEqual(JSON.parse(body.toString()))
    expect(() => lesMelding(writtenSecret(Buffer.alloc(32, 3)), signed(), body)).toThrow()
    expect(() => lesMelding(writtenSecret(Buffer.alloc(32, 1)), signed(), Buffer.from('{}'))).toThrow()
    const old = signed(new Date(Date.now() - 301_000))
    expect(() => lesMelding(writtenSecret(Buffer.alloc(32, 1)), old, body)).toThrow()
  })

  it.skipIf(!hasPython)(
    'P125: that in Python takes what was signed with either secret, and nothing else',
    async () => {
      const path = join(folder, 'motta.py')
      await writeFile(
        path,
        `${code('python')}\nimport sys\nprint(les_melding(sys.argv[1], json.loads(sys.argv[2]), sys.argv[3].encode())["data"]["navn"])\n`,
      )
      const run = (secret: Buffer, headers: object, said = body.toString()) =>
        execFileSync('python3', [path, writtenSecret(secret), JSON.stringify(headers), said], {
          stdio: ['ignore', 'pipe', 'ignore'],
          env: { ...process.env, PYTHONIOENCODING: 'utf-8' },
        }).toString()
      for (const secret of secrets) expect(run(secret, signed())).toBe('Blåbær AS\n')
      expect(() => run(Buffer.alloc(32, 3), signed())).toThrow()
      expect(() => run(Buffer.alloc(32, 1), signed(), '{}')).toThrow()
      expect(() => run(Buffer.alloc(32, 1), signed(new Date(Date.now() - 301_000)))).toThrow()
    },
  )
})
