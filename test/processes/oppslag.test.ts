import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { policy } from '#config/policy.ts'
import { createVerifier } from '#src/access/verify.ts'
import { readKey } from '#src/core/api-key.ts'
import { systemClock } from '#src/core/clock.ts'
import { activateKey } from '#src/storage/key-chain.ts'
import { findKeyById, listKeys } from '#src/storage/keys.ts'
import { type Outcome, runCommand, startCommand } from '#test/support/command.ts'
import { makeDataFolder } from '#test/support/data-folder.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { holdEmbeddedDatabase } from '#test/support/embedded-holder.ts'
import { keyIn, startMailServer } from '#test/support/mail-server.ts'

let storage: TestDatabase

beforeAll(async () => {
  storage = await createTestDatabase()
})
afterAll(() => storage.close())
beforeEach(() => storage.database.query('truncate api_nokkel cascade'))

describe('nokkel utsted', () => {
  test.each([
    ['a process of its own', startCommand],
    ['this process', runCommand],
  ])('--show prints a key that works, once, with its id, its keeper and its end: in %s', async (_, run) => {
    const args = ['nokkel', 'utsted', '--hvorfor', 'en prøve', '--epost', 'ola@example.no', '--vis']
    const { code, out, err } = await run({ DATABASE_URL: storage.url }, args)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const [token = ''] = out.match(/bo_live_\w+/g) ?? []
    expect(await verdictOn(token)).toMatchObject({ ok: true })
    expect(out).toMatch(new RegExp(`^Id +${token.slice(8, 20)}$`, 'm'))
    expect(out).toMatch(/^E-post +ola@example\.no$/m)
    expect(out).toMatch(/^Utløper +\d{4}-\d\d-\d\d \d\d:\d\d UTC$/m)
  })

  test('P160: attack: for another user of the machine, who sees how a command is called, there is no address: it is read from standard input', async () => {
    const typed = (args: readonly string[], input: string) =>
      startCommand(
        { DATABASE_URL: storage.url, DATA_DIR: '/nowhere' },
        [...args, '--hvorfor', 'en prøve', '--epost', '-', '--json'],
        { input },
      )
    const { out } = await typed(['nokkel', 'utsted', '--vis'], 'ola@example.no\n')
    expect(await verdictOn(JSON.parse(out).nokkel)).toMatchObject({ ok: true })
    const told = JSON.parse((await typed(['kunde', 'eksporter'], 'OLA@example.no')).out)
    expect(told.nokler).toHaveLength(1)
    expect((await typed(['kunde', 'slett'], 'ola@example.no\nkari@example.no\n')).err).toContain(
      'én e-postadresse',
    )
    expect(JSON.parse((await typed(['kunde', 'slett'], 'ola@example.no\r\n')).out)).toMatchObject({
      gyldigeNokler: 1,
    })
  })

  test('--json says the same to a program', async () => {
    const { out } = await oppslag(
      'nokkel',
      'utsted',
      '--hvorfor',
      'en prøve',
      '--epost',
      'ola@example.no',
      '--miljo',
      'test',
      '--vis',
      '--json',
    )
    const answer = JSON.parse(out)
    expect(readKey(answer.nokkel)).toMatchObject({ id: answer.id, miljo: 'test' })
    expect(answer).toMatchObject({ epost: 'ola@example.no', miljo: 'test' })
    expect(new Date(answer.utloper).toISOString()).toBe(answer.utloper)
    expect(await verdictOn(answer.nokkel)).toMatchObject({ ok: true })
  })

  test('the kind of key is MILJO’s when not told otherwise', async () => {
    const { out } = await oppslag(
      { MILJO: 'test' },
      'nokkel',
      'utsted',
      '--hvorfor',
      'en prøve',
      '--epost',
      'ola@example.no',
      '--vis',
      '--json',
    )
    expect(JSON.parse(out)).toMatchObject({ miljo: 'test' })
  })

  test('without --show the key goes by mail alone, and works when it is read from there', async () => {
    const mail = await startMailServer()
    try {
      const env = { SMTP_URL: mail.url, MAIL_FROM: 'nokler@example.no' }
      const { code, out, err } = await oppslag(
        env,
        'nokkel',
        'utsted',
        '--hvorfor',
        'en prøve',
        '--epost',
        'ola@example.no',
      )
      expect({ code, err }).toEqual({ code: 0, err: '' })
      const [sent] = await mail.waitForMails({ to: 'ola@example.no' })
      const token = (sent && keyIn(sent)) ?? ''
      expect(out).not.toContain(token)
      expect(out).toContain(token.split('_')[2])
      expect(await verdictOn(token)).toMatchObject({ ok: true })
    } finally {
      await mail.close()
    }
  })

  test('without --show, when the mail is not taken, it says so in one line and no key works', async () => {
    const mail = await startMailServer()
    mail.behave({ at: 'rcpt', does: 550 })
    try {
      const env = { SMTP_URL: mail.url, MAIL_FROM: 'nokler@example.no' }
      const { code, out, err } = await oppslag(
        env,
        'nokkel',
        'utsted',
        '--hvorfor',
        'en prøve',
        '--epost',
        'ola@example.no',
      )
      expect({ code, out }).toEqual({ code: 1, out: '' })
      expect(err).toMatch(/^oppslag: .*tar ikke imot.*\n$/)
      const [key] = (await listKeys(storage.database, { limit: 1 })).keys
      expect(key?.tilbakekalt).not.toBeNull()
    } finally {
      await mail.close()
    }
  })

  test.each([
    ['a display name', 'Ola <ola@firma.example>'],
    ['two addresses', 'ola@firma.example,kari@firma.example'],
    ['no address', 'ola'],
  ])('an address that is not one alone is refused: %s', async (_, email) => {
    const { code, out, err } = await oppslag(
      'nokkel',
      'utsted',
      '--hvorfor',
      'en prøve',
      '--epost',
      email,
      '--vis',
    )
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toMatch(/^oppslag: .*e-postadresse.*\n$/)
    expect((await listKeys(storage.database, { limit: 1 })).keys).toEqual([])
  })
})

describe('nokkel liste', () => {
  test('shows every key in aligned columns, newest first, without anything secret', async () => {
    const first = await issued('ola@example.no')
    const second = await issued('kari@example.no')
    await oppslag('nokkel', 'tilbakekall', '--hvorfor', 'en prøve', first.id)
    const { code, out } = await oppslag('nokkel', 'liste')
    expect(code).toBe(0)
    const [head = '', ...rows] = out.trimEnd().split('\n')
    expect(rows.map((row) => row.split(/ {2,}/)[0])).toEqual([second.id, first.id])
    expect(rows[0]).toMatch(/ {2}gyldig .* kari@example\.no$/)
    expect(rows[1]).toMatch(/ {2}tilbakekalt .* ola@example\.no$/)
    for (const row of rows) expect(row.indexOf(row.match(/\S+@/)?.[0] ?? '')).toBe(head.indexOf('E-POST'))
    expect(out).not.toContain(first.nokkel)
    expect(out).not.toContain('argon2')
  })

  test('is bounded, and says how to go on', async () => {
    const ids = [await issued(), await issued(), await issued()].map(({ id }) => id).reverse()
    const { out } = await oppslag('nokkel', 'liste', '--antall', '2')
    expect(out).toContain(`--etter ${ids[1]}`)
    const page = JSON.parse((await oppslag('nokkel', 'liste', '--antall', '2', '--json')).out)
    expect(page).toMatchObject({ nokler: [{ id: ids[0] }, { id: ids[1] }], neste: ids[1] })
    const last = JSON.parse((await oppslag('nokkel', 'liste', '--etter', page.neste, '--json')).out)
    expect(last).toMatchObject({ nokler: [{ id: ids[2], tilstand: 'gyldig' }], neste: null })
  })

  test('says when there is none', async () => {
    expect(await oppslag('nokkel', 'liste')).toMatchObject({ code: 0, out: 'Ingen nøkler.\n' })
  })
})

describe('nokkel tilbakekall', () => {
  test('ends a key for good; again changes nothing', async () => {
    const { id, nokkel } = await issued()
    const once = JSON.parse(
      (await oppslag('nokkel', 'tilbakekall', '--hvorfor', 'en prøve', id, '--json')).out,
    )
    expect(once).toMatchObject({ id })
    expect(await verdictOn(nokkel)).toMatchObject({ ok: false, why: 'tilbakekalt' })
    const again = await oppslag('nokkel', 'tilbakekall', '--hvorfor', 'en prøve', id)
    expect(again).toMatchObject({ code: 0, out: expect.stringContaining(id) })
    expect((await findKeyById(storage.database, id))?.tilbakekalt?.toISOString()).toBe(once.tilbakekalt)
  })

  test('of a key that does not exist is an error, which does not repeat what was typed', async () => {
    const { nokkel } = await issued()
    const { code, out, err } = await oppslag('nokkel', 'tilbakekall', '--hvorfor', 'en prøve', nokkel)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toMatch(/^oppslag: .*Skriv aldri inn selve nøkkelen.*\n$/)
    expect(err).not.toContain(nokkel)
    const unknown = ['nokkel', 'tilbakekall', 'aaaaaaaaaaaa', '--hvorfor', 'en prøve']
    expect(await oppslag(...unknown)).toMatchObject({ code: 1, err: expect.stringMatching(/ingen nøkkel/) })
  })
})

describe('what can not be understood or done', () => {
  test.each([
    ['nothing', []],
    ['a group without a command', ['nokkel']],
    ['an unknown command', ['nokkel', 'finn']],
    ['an unknown option', ['nokkel', 'liste', '--alt']],
    ['a missing option', ['nokkel', 'utsted', '--hvorfor', 'en prøve', '--vis']],
    [
      'a wrong choice',
      ['nokkel', 'utsted', '--hvorfor', 'en prøve', '--epost', 'a@b.no', '--miljo', 'prod', '--vis'],
    ],
    ['a limit that is no number', ['nokkel', 'liste', '--antall', 'ti']],
    ['a limit of nothing', ['nokkel', 'liste', '--antall', '0']],
  ])('exit code 2, nothing on standard output: %s', async (_, args) => {
    const { code, out, err } = await oppslag(...args)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).not.toBe('')
  })

  test.runIf(process.getuid?.() === 0)(
    'P161: attack: of what a command writes to a file whose disk takes a part of it, it does not say that it is all (needs root, who may mount)',
    async (context) => {
      const small = await makeDataFolder('oppslag-liten-')
      const run = promisify(execFile)
      const mounted = await run('mount', ['-t', 'tmpfs', '-o', 'size=4k', 'tmpfs', small]).catch(() => null)
      if (mounted === null) return context.skip('this root may not mount')
      try {
        await storage.database.query(
          `insert into api_nokkel (id, kjede, epost, miljo, utstedt_at, utloper_at)
           select lpad(n::text, 12, 'x'), lpad(n::text, 12, 'x'), 'ola@example.no', 'live', now(), now() + interval '1 day' from generate_series(1, 100) n`,
        )
        const told =
          '"$0" src/commands/oppslag.ts kunde eksporter --epost ola@example.no --hvorfor innsyn >"$1"'
        const env = { PATH: process.env.PATH, DATABASE_URL: storage.url, DATA_DIR: '/nowhere' }
        const words = ['-c', told, process.execPath, join(small, 'innsyn.json')]
        await expect(run('sh', words, { env })).rejects.toMatchObject({
          code: 1,
          stderr: expect.stringMatching(/^oppslag: Det er ikke plass til alt det kommandoen skriver\..*\n$/),
        })
      } finally {
        await run('umount', [small])
        await rm(small, { recursive: true })
      }
    },
  )

  test.runIf(existsSync('/dev/full'))(
    'P161: attack: where what a command says beside its answer meets a full disk, it ends as it would have ended',
    async () => {
      const env = { PATH: process.env.PATH, DATABASE_URL: storage.url, DATA_DIR: '/nowhere' }
      const words = ['-c', '"$0" src/commands/oppslag.ts nokkel ukjent 2>/dev/full', process.execPath]
      await expect(promisify(execFile)('sh', words, { env })).rejects.toMatchObject({ code: 2, stdout: '' })
    },
  )

  test('a process of its own ends with the same codes', async () => {
    expect(await startCommand({}, [])).toMatchObject({ code: 2, out: '', err: expect.stringMatching(/./) })
    const wrong = await startCommand({ MILJO: 'prod' }, ['nokkel', 'liste'])
    expect(wrong).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/^oppslag: MILJO: .*\n$/) })
  })

  test('help is no error', async () => {
    expect(await oppslag('nokkel', '--help')).toMatchObject({
      code: 0,
      out: expect.stringContaining('Kommandoer:'),
    })
  })

  test('a malformed variable or an unreachable database: exit code 1 and one line, without the address', async () => {
    const wrong = await oppslag({ MILJO: 'prod' }, 'nokkel', 'liste')
    expect(wrong).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/^oppslag: MILJO: .*\n$/) })
    const nowhere = await oppslag({ DATABASE_URL: 'postgres://u:hemmelig@127.0.0.1:1/x' }, 'nokkel', 'liste')
    expect(nowhere).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/^oppslag: .*ECONNREFUSED.*\n$/),
    })
    expect(nowhere.err).not.toContain('hemmelig')
  })
})

describe('on the embedded database', () => {
  let dataDir: string

  beforeAll(async () => {
    dataDir = await makeDataFolder('oppslag-command-')
  })
  afterAll(() => rm(dataDir, { recursive: true }))

  test('it works on an empty folder, and beside a running service, which does not notice', async () => {
    const env = { DATABASE_URL: '', DATA_DIR: dataDir }
    const alone = await startCommand(env, [
      'nokkel',
      'utsted',
      '--hvorfor',
      'en prøve',
      '--epost',
      'ola@example.no',
      '--vis',
      '--json',
    ])
    expect(alone).toMatchObject({ code: 0, err: '' })
    const service = await holdEmbeddedDatabase(dataDir)
    const beside = await startCommand(env, ['nokkel', 'liste', '--json'])
    expect(JSON.parse(beside.out)).toMatchObject({ nokler: [{ id: JSON.parse(alone.out).id }] })
    expect(await service.release()).toEqual(['still there', 'closed'])
  })
})

describe('nokkel erstatt', () => {
  test("a lost key works on, a leaked one does not, and the mail with the new one is the service's to send", async () => {
    for (const [reason, isOk] of [
      ['tapt', true],
      ['lekket', false],
    ] as const) {
      const { nokkel, id } = await issued()
      const { code, out, err } = await oppslag(
        'nokkel',
        'erstatt',
        '--hvorfor',
        'en prøve',
        id,
        '--grunn',
        reason,
      )
      expect({ code, err }).toEqual({ code: 0, err: '' })
      expect(out).toContain(id)
      expect((await verdictOn(nokkel)).ok).toBe(isOk)
      expect(await storage.database.query('select slag, nokkel from utboks where nokkel = $1', [id])).toEqual(
        [{ slag: 'erstatt', nokkel: id }],
      )
    }
  })

  test('a key that is over, or not there, is told as such', async () => {
    const { id } = await issued()
    await oppslag('nokkel', 'tilbakekall', '--hvorfor', 'en prøve', id)
    expect((await oppslag('nokkel', 'erstatt', '--hvorfor', 'en prøve', id, '--grunn', 'tapt')).err).toMatch(
      /kan ikke erstattes/,
    )
    expect(
      (await oppslag('nokkel', 'erstatt', '--hvorfor', 'en prøve', 'aaaaaaaaaaaa', '--grunn', 'tapt')).err,
    ).toMatch(/ingen nøkkel/)
  })
})

/** On this file's database unless `variables` says otherwise. */
function oppslag(
  ...args: string[] | [variables: Record<string, string>, ...args: string[]]
): Promise<Outcome> {
  const [first, ...rest] = args
  const variables = typeof first === 'object' ? first : {}
  const words = typeof first === 'string' ? [first, ...(rest as string[])] : (rest as string[])
  return runCommand({ DATABASE_URL: storage.url, ...variables }, words)
}

async function issued(email = 'ola@example.no'): Promise<{ nokkel: string; id: string }> {
  return JSON.parse(
    (await oppslag('nokkel', 'utsted', '--hvorfor', 'en prøve', '--epost', email, '--vis', '--json')).out,
  )
}

function verdictOn(token: string) {
  return createVerifier({
    miljo: token.startsWith('bo_test_') ? 'test' : 'live',
    findKeyById: (id) => findKeyById(storage.database, id),
    activate: (id) => activateKey(storage.database, id, systemClock.now()),
    clock: systemClock,
    policy: policy.keys,
    onFault: (fault) => {
      throw fault
    },
  }).verify(token)
}
