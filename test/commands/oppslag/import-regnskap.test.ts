import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { Command } from 'commander'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { addImportAccountsCommand } from '#src/commands/oppslag/import-regnskap.ts'
import { SAMPLE } from '#src/samples/numbers.ts'
import { readKeptFilings } from '#src/storage/accounts-archive.ts'
import { cacheOrdersAfter } from '#src/storage/cache-orders.ts'
import { startCommand } from '#test/support/command.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'
import { inventNumbers } from '#test/support/invented-companies.ts'

let storage: TestDatabase
let folder: string
beforeAll(async () => {
  storage = await createTestDatabase()
  folder = await mkdtemp(join(tmpdir(), 'oppslag-regnskap-'))
})
beforeEach(async () => {
  vi.stubEnv('DATABASE_URL', storage.url)
  vi.stubEnv('CACHE_REDIS_URL', '')
  await storage.database.query('truncate regnskapsarkiv, mellomlager_ordre')
})
afterEach(() => {
  vi.unstubAllEnvs()
})
afterAll(async () => {
  await storage.close()
  await rm(folder, { recursive: true })
})

const HEADER = 'organisasjonsnummer;regnskapstype;fraDato;tilDato;valuta;sumEiendeler'
const row = (orgnr: string) => `${orgnr};SELSKAP;2019-01-01;2019-12-31;NOK;100`
const SECRET = '31819950043'

async function file(...rows: string[]): Promise<string> {
  const path = join(folder, `${crypto.randomUUID()}.csv`)
  await writeFile(path, gzipSync([HEADER, ...rows].join('\n')))
  return path
}

async function run(...args: string[]): Promise<string> {
  const importCommand = new Command('import').exitOverride().configureOutput({ writeErr: () => {} })
  addImportAccountsCommand(importCommand)
  const written: string[] = []
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0)
  try {
    await importCommand.parseAsync(['regnskap', '--hvorfor', 'en prøve', ...args], { from: 'user' })
  } finally {
    spy.mockRestore()
  }
  return written.join('')
}
const orders = () => cacheOrdersAfter(storage.database, { number: 0, at: '' }, 1000)

describe('import regnskap', () => {
  it('keeps the file’s accounts, says what it did, and has the companies looked up anew', async () => {
    const out = await run(await file(row(SAMPLE.association), row(SAMPLE.healthy)))
    expect(out).toMatch(/^Linjer lest +2$/m)
    expect(out).toMatch(/^Regnskap, nye +2$/m)
    expect(await readKeptFilings(storage.database, SAMPLE.healthy)).toHaveLength(1)
    expect(await orders()).toMatchObject(
      [SAMPLE.association, SAMPLE.healthy].map((company) => ({
        company,
        sections: ['regnskap'],
        isHard: false,
      })),
    )
  })

  it('the same file again changes nothing, and nobody is told', async () => {
    const path = await file(row(SAMPLE.healthy))
    await run(path)
    await storage.database.query('truncate mellomlager_ordre')
    expect(await run(path)).toMatch(/^ {2}uendret +1$/m)
    expect(await orders()).toEqual([])
  })

  it('many companies are one order for the accounts of all', async () => {
    await run(await file(...inventNumbers(201).map(row)))
    expect(await orders()).toMatchObject([{ company: '', sections: ['regnskap'], isHard: false }])
  })

  it('--prov keeps nothing; --json says the same to a program', async () => {
    const out = JSON.parse(await run(await file(row(SAMPLE.healthy), 'feil'), '--prov', '--json'))
    expect(out).toMatchObject({
      form: 'csv',
      linjer: { lest: 2, tatt: 1, avvist: 1 },
      innsendinger: { ny: 1 },
      foretak: 1,
      provekjoring: true,
      avviste: [{ linje: 3, kode: 'feil_antall_felt' }],
    })
    expect(await storage.database.query('select from regnskapsarkiv')).toEqual([])
    expect(await orders()).toEqual([])
  })

  it('P19: refused lines go to a file of the operator’s own, with line and reason and nothing of what they said', async () => {
    const report = join(folder, 'avvist.csv')
    const out = await run(
      await file(row(SECRET), ...Array(12).fill('x'), row(SAMPLE.healthy)),
      '--avviste',
      report,
    )
    const text = await readFile(report, 'utf8')
    const [head, first, ...rest] = text.trimEnd().split('\n')
    expect(head).toBe('linje;kode;felt;grunn')
    expect(first).toMatch(/^2;identitetsnummer;organisasjonsnummer;.+\.$/)
    expect(rest).toHaveLength(12)
    expect((await stat(report)).mode & 0o777).toBe(0o600)
    expect(out).toContain('… og 3 til')
    expect(text + out).not.toContain(SECRET)
  })

  it.runIf(existsSync('/dev/full'))(
    'P161: attack: a full disk where the refused lines are to be is told of when the accounts are kept',
    async () => {
      const imported = run(await file('x', row(SAMPLE.healthy)), '--avviste', '/dev/full')
      await expect(imported).rejects.toMatchObject({ code: 'avviste_uskrevet' })
      expect(await readKeptFilings(storage.database, SAMPLE.healthy)).toHaveLength(1)
    },
  )

  it('a file that is not there, or not of accounts, is refused in one line', async () => {
    await expect(run(join(folder, 'ingen.csv'))).rejects.toMatchObject({ code: 'ukjent_fil' })
    const path = await file(row(SAMPLE.healthy))
    await expect(run(path, '--avviste', join(folder, 'ingen', 'avvist'))).rejects.toMatchObject({
      code: 'ugyldig_fil',
    })
    const other = join(folder, 'annet.csv')
    await writeFile(other, 'navn;adresse\n')
    await expect(run(other)).rejects.toMatchObject({ code: 'ukjent_overskrift' })
    expect(await orders()).toEqual([])
  })

  it('told to stop it says what it has kept, and ends as what is not done: with 1', async () => {
    const interrupted = new AbortController()
    const ended = startCommand(
      { DATABASE_URL: storage.url },
      ['import', 'regnskap', '--hvorfor', 'en prøve', '-'],
      {
        input: [HEADER, ...inventNumbers(1500).map(row)].join('\n'),
        // It has not come to the end of what it reads: more may come.
        inputEnds: false,
        interrupt: interrupted.signal,
      },
    )
    await eventually(
      'some of it is kept',
      async () => (await storage.database.query('select from regnskapsarkiv limit 1')).length > 0,
    )
    interrupted.abort()
    const { code, out, err } = await ended
    expect({ code, err }).toEqual({
      code: 1,
      err: 'oppslag: Avbrutt. Det som er lest, er lagret; kjør igjen for resten.\n',
    })
    expect(out).toMatch(/^Regnskap, nye +[1-9]\d*$/m)
    expect((await orders()).length).toBeGreaterThan(0)
  })

  it('what was kept before a damaged file ended is seen, of whatever company it is', async () => {
    const packed = gzipSync([HEADER, ...inventNumbers(8000).map(row)].join('\n'))
    const path = join(folder, 'avkortet.csv.gz')
    await writeFile(path, packed.subarray(0, packed.length - 100))
    await expect(run(path)).rejects.toMatchObject({ code: 'uleselig_fil' })
    expect(await storage.database.query('select from regnskapsarkiv limit 1')).toHaveLength(1)
    expect(await orders()).toMatchObject([{ company: '', sections: ['regnskap'] }])
  })
})
