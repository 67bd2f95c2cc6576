import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openImportSession } from '#src/storage/shareholders/import-session.ts'
import { csv } from '#test/imports/share-registers.ts'
import { type Outcome, runCommand, startCommand } from '#test/support/command.ts'
import { currentDeliveries } from '#test/support/current-deliveries.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'

const NUMBER = '01010750160'
const TEXT = csv([
  '910000004;FJORDVIK AS;A;KARI ØST;1980;OSLO;NO;60;100',
  'tull',
  `910000004;FJORDVIK AS;A;OLA ${NUMBER};1980;OSLO;NO;1;100`,
])

let folder: string
let storage: TestDatabase
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aksjonaer-'))
})
afterAll(() => rm(folder, { recursive: true }))
beforeEach(async () => {
  storage = await createTestDatabase()
  return () => storage.close()
})

async function put(name: string, bytes: string | Buffer): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, bytes)
  return path
}

const oppslag = (args: string[]): Promise<Outcome> => runCommand({ DATABASE_URL: storage.url }, args)

describe('import aksjonaerer', () => {
  test('takes a packed file, says what became of its rows, and where the refused ones are', async () => {
    const path = await put('aksjeeiebok__2024_07052025.csv.gz', gzipSync(TEXT))
    const report = join(folder, 'avvist.csv')
    const { code, out, err } = await oppslag([
      'import',
      'aksjonaerer',
      '--hvorfor',
      'en prøve',
      path,
      '--aar',
      '2024',
      '--avvist',
      report,
    ])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(/^Aksjonærregisteret for 2024 er lest inn og i bruk\.$/m)
    expect(out).toMatch(/^Rader i filen +3$/m)
    expect(out).toMatch(/^ {2}avvist +2$/m)
    expect(out).toMatch(/^Linje 3: raden har færre felt enn overskriften\.$/m)
    expect(await readFile(report, 'utf8')).toBe(
      'linje;kode;grunn\n' +
        '3;for_faa_felt;raden har færre felt enn overskriften\n' +
        '4;elleve_siffer;raden inneholder elleve siffer som kan være et fødselsnummer\n',
    )
    expect(await currentDeliveries(storage.database)).toMatchObject([
      {
        aar: 2024,
        uttrekksdato: '2025-05-07',
        kilde: 'Skatteetatens aksjonærregister',
        rader: 3,
        avviste: 2,
      },
    ])
    const again = await oppslag(['import', 'aksjonaerer', '--hvorfor', 'en prøve', path, '--aar', '2024'])
    expect(again).toMatchObject({ code: 0, out: expect.stringContaining('Ingenting er endret.') })
  })

  test('takes standard input, and tells a program the same', async () => {
    const args = [
      'import',
      'aksjonaerer',
      '--hvorfor',
      'en prøve',
      '-',
      '--aar',
      '2003',
      '--kilde',
      'arkiv',
      '--uttrekksdato',
      '2004-05-06',
      '--json',
    ]
    const { code, out } = await startCommand({ DATABASE_URL: storage.url }, args, { input: TEXT })
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({
      utfall: 'lest_inn',
      aar: 2003,
      rader: 3,
      godtatt: 1,
      avviste: 2,
      forsteAvviste: [
        { linje: 3, kode: 'for_faa_felt' },
        { linje: 4, kode: 'elleve_siffer' },
      ],
    })
    expect(await currentDeliveries(storage.database)).toMatchObject([
      { kilde: 'arkiv', uttrekksdato: '2004-05-06' },
    ])
  })

  test('P19: says nothing of an identity number, wherever it stands', async () => {
    const path = await put('d.csv', TEXT)
    const { out, err } = await oppslag([
      'import',
      'aksjonaerer',
      '--hvorfor',
      'en prøve',
      path,
      '--aar',
      '2024',
    ])
    expect(out + err).not.toContain(NUMBER)
    const headless = await put('e.csv', `910000004;X;A;OLA;${NUMBER};;NO;1;1\n`)
    const refused = await oppslag([
      'import',
      'aksjonaerer',
      '--hvorfor',
      'en prøve',
      headless,
      '--aar',
      '2024',
    ])
    expect(refused).toMatchObject({ code: 1, out: '' })
    expect(refused.err).toMatch(
      /^oppslag: Overskriften er ikke aksjonærregisterets.*Funnet: «910000004;X.*\n$/,
    )
    expect(refused.err).not.toContain(NUMBER)
  })

  test('P18: while another goes on is refused in one line', async () => {
    const session = await openImportSession({ url: storage.url, isPatient: false })
    const { code, err } = await oppslag([
      'import',
      'aksjonaerer',
      '--hvorfor',
      'en prøve',
      await put('f.csv', TEXT),
      '--aar',
      '2024',
    ])
    expect(code).toBe(1)
    expect(err).toMatch(/^oppslag: En annen innlesing .* pågår.*\n$/)
    await session.close()
  })

  test.runIf(existsSync('/dev/full'))(
    'P161: attack: a full disk where the refused rows are to be is told of when the year is in use, and nothing waits for it',
    async () => {
      const path = await put('aksjeeiebok_2024.csv', TEXT)
      const words = ['--hvorfor', 'en prøve', '--aar', '2024', '--avviste', '/dev/full']
      const { code, out, err } = await oppslag(['import', 'aksjonaerer', path, ...words])
      expect(code).toBe(1)
      expect(out).toMatch(/^Aksjonærregisteret for 2024 er lest inn og i bruk\.$/m)
      expect(out).not.toContain('Alle avviste')
      expect(err).toBe(
        'oppslag: Alt er gjort, men /dev/full kunne ikke skrives, og har ikke alle avviste (ENOSPC).\n',
      )
      expect(await currentDeliveries(storage.database)).toHaveLength(1)
    },
  )

  test.each([
    ['no year', []],
    ['a year before there was a register', ['--aar', '2001']],
    ['a year to come', ['--aar', '2999']],
    ['a date that is none', ['--aar', '2024', '--uttrekksdato', '2025-02-30']],
    ['another year than the file name says', ['--aar', '2023']],
    ['a report that can not be written', ['--aar', '2024', '--avviste', '/nei/nei']],
  ])('exit code 2: %s', async (_, args) => {
    const path = await put('aksjeeiebok_2024.csv', TEXT)
    const { code, out, err } = await oppslag([
      'import',
      'aksjonaerer',
      '--hvorfor',
      'en prøve',
      path,
      ...args,
    ])
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).not.toBe('')
    expect(await currentDeliveries(storage.database)).toEqual([])
  })
})

test('import vis says which years there are and which are not imported', async () => {
  await oppslag(['import', 'aksjonaerer', '--hvorfor', 'en prøve', await put('g.csv', TEXT), '--aar', '2024'])
  const { out } = await oppslag(['import', 'vis'])
  expect(out).toMatch(/^2024 {2}gjeldende {2}Skatteetatens aksjonærregister {2}– +3 +2 +1 +1 /m)
  expect(out).toMatch(/^Ikke importert: .*2025, 2023, .*, 2002$/m)
  const { leveranser, ikkeImportert } = JSON.parse((await oppslag(['import', 'vis', '--json'])).out)
  expect(leveranser).toMatchObject([
    { aar: 2024, rader: 3, avviste: 2, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
  ])
  expect(ikkeImportert).not.toContain(2024)
  expect(ikkeImportert).toContain(2002)
})

describe('person', () => {
  const kari = ['--navn', 'Kari Øst', '--fodselsaar', '1980']

  test('skjul, liste and vis', async () => {
    expect((await oppslag(['person', 'skjul', '--hvorfor', 'en prøve', ...kari])).out).toContain(
      'skjult i alle år',
    )
    expect(
      (await oppslag(['person', 'skjul', '--hvorfor', 'en prøve', ...kari, '--orgnr', '974 760 673'])).code,
    ).toBe(0)
    expect((await oppslag(['person', 'liste'])).out).toMatch(
      /^KARI ØST +1980 +974760673 .*\nKARI ØST +1980 +alle /m,
    )
    expect(
      JSON.parse((await oppslag(['person', 'opphev', '--hvorfor', 'en prøve', ...kari, '--json'])).out),
    ).toMatchObject({
      navn: 'KARI ØST',
      skjult: false,
    })
    expect(await oppslag(['person', 'opphev', '--hvorfor', 'en prøve', ...kari])).toMatchObject({
      code: 1,
      out: '',
    })
    expect(JSON.parse((await oppslag(['person', 'liste', '--json'])).out).personer).toHaveLength(1)
  })

  test.runIf(process.getuid?.() === 0)(
    'P59: attack: whom a full disk keeps from being written down as hidden is not hidden, and that is not told as what is printed and cut off (needs root, who may mount)',
    async (context) => {
      const small = join(folder, 'full')
      await mkdir(small)
      const run = promisify(execFile)
      const mounted = await run('mount', ['-t', 'tmpfs', '-o', 'size=4k', 'tmpfs', small]).catch(() => null)
      if (mounted === null) return context.skip('this root may not mount')
      try {
        await writeFile(join(small, 'annet'), Buffer.alloc(4096))
        const env = { DATABASE_URL: storage.url, DATA_DIR: small }
        expect(await runCommand(env, ['person', 'skjul', '--hvorfor', 'en prøve', ...kari])).toEqual({
          code: 1,
          out: '',
          err: 'oppslag: uventet feil (Error ENOSPC)\n',
        })
        expect((await oppslag(['person', 'liste'])).out).toBe('Ingen er skjult.\n')
      } finally {
        await run('umount', [small])
      }
    },
  )

  test.each([
    ['a blank name', ['--navn', ' ', '--fodselsaar', '1980']],
    ['a year that is none', ['--navn', 'Kari', '--fodselsaar', '80']],
    ['a number that is none', [...kari, '--orgnr', '123']],
  ])('exit code 2: %s', async (_, args) => {
    expect(await oppslag(['person', 'skjul', '--hvorfor', 'en prøve', ...args])).toMatchObject({
      code: 2,
      out: '',
    })
  })
})
