import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Deed, listDeeds } from '#src/storage/operator-trail.ts'
import { SAMPLE } from '#test/fixtures/samples/index.ts'
import { csv } from '#test/imports/share-registers.ts'
import { type Outcome, runCommand } from '#test/support/command.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { startMailServer } from '#test/support/mail-server.ts'

/** Nobody listens there. */
const NOWHERE = 'redis://127.0.0.1:1'

let storage: TestDatabase
let folder: string
beforeAll(async () => {
  storage = await createTestDatabase()
  folder = await mkdtemp(join(tmpdir(), 'oppslag-spor-'))
})
afterAll(async () => {
  await storage.close()
  await rm(folder, { recursive: true })
})
beforeEach(() => storage.database.query('truncate operator_spor'))

function oppslag(args: string[], variables: Record<string, string> = {}): Promise<Outcome> {
  return runCommand({ DATABASE_URL: storage.url, DATA_DIR: folder, ...variables }, args)
}

async function done(...args: string[]): Promise<string> {
  const { code, out, err } = await oppslag(args)
  expect({ code, err }).toEqual({ code: 0, err: '' })
  return out
}

/** Oldest first. */
async function trail(): Promise<Deed[]> {
  return (await listDeeds(storage.database, { limit: 100 })).reverse()
}

const ends = async () => (await trail()).map(({ handling, gjelder, utfall }) => [handling, gjelder, utfall])

const sha = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 12)

async function put(name: string, text: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, text)
  return path
}

describe('what a command changes stands in the trail', () => {
  it('who is the user of the machine, unless told', async () => {
    await done('foretak', 'foreld', '--alle', '--hvorfor', 'en prøve')
    await done('foretak', 'foreld', '--alle', '--hvem', 'Kari', '--hvorfor', 'etter feilretting')
    const [, first, , second] = await trail()
    expect(first).toMatchObject({ hvem: `${userInfo().username} (kommando)`, hvorfor: 'en prøve' })
    expect(second).toMatchObject({ hvem: 'Kari', hvorfor: 'etter feilretting' })
  })

  it('foretak foreld: which company and sources, and it is found by the company', async () => {
    await done('foretak', 'glem', SAMPLE.healthy, '--hvorfor', 'en prøve')
    await done('foretak', 'foreld', '--hvorfor', 'en prøve', '--kilde', 'roller', 'regnskap')
    expect(await ends()).toEqual([
      ['foretak.glem', SAMPLE.healthy, 'begynt'],
      ['foretak.glem', SAMPLE.healthy, 'gjort'],
      ['foretak.foreld.roller+regnskap', 'alle foretak', 'begynt'],
      ['foretak.foreld.roller+regnskap', 'alle foretak', 'gjort'],
    ])
    const { spor } = JSON.parse(await done('foretak', 'vis', SAMPLE.healthy, '--json'))
    expect(spor).toHaveLength(2)
  })

  it.each([
    ['nokkel', 'utsted', '--epost', 'ola@example.no', '--vis'],
    ['nokkel', 'erstatt', 'aaaaaaaaaaaa', '--grunn', 'tapt'],
    ['nokkel', 'tilbakekall', 'aaaaaaaaaaaa'],
    ['kunde', 'kvittering', 'aaaaaaaaaa'],
    ['kunde', 'slett', '--epost', 'ola@example.no'],
    ['foretak', 'oppfrisk', SAMPLE.healthy],
    ['foretak', 'foreld', '--alle'],
    ['foretak', 'glem', SAMPLE.healthy],
    ['foretak', 'slett', SAMPLE.healthy, '--bekreft', SAMPLE.healthy],
    ['person', 'skjul', '--navn', 'Kari Nordmann', '--fodselsaar', '1980'],
    ['person', 'opphev', '--navn', 'Kari Nordmann', '--fodselsaar', '1980'],
    ['levetider', 'sett', 'regnskap.kall', '5'],
    ['levetider', 'rull-tilbake'],
    ['operator', 'ny', '--navn', 'Kari', '--rolle', 'lese'],
    ['operator', 'tilbakekall', 'Kari'],
    ['import', 'regnskap', 'fil.csv'],
    ['import', 'aksjonaerer', 'fil.csv', '--aar', '2024'],
    ['sok', 'bygg'],
    ['sikkerhetskopi'],
    ['gjenopprett', 'kopi.sql.gz'],
    ['oppgrader'],
  ])('without a reason nothing is done: %s %s', async (...args) => {
    const { code, err } = await oppslag(args)
    expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(/^oppslag: .*--hvorfor.*\n$/) })
    // Nor with one that can not stand in the trail.
    expect((await oppslag([...args, '--hvorfor', 'kari@example.com ba om det'])).code).toBe(2)
    expect(await trail()).toEqual([])
  })

  it('P19: person skjul and opphev: that somebody was hidden, and where, never who', async () => {
    const kari = ['--navn', 'Kari Østvang', '--fodselsaar', '1980', '--hvorfor', 'krav etter artikkel 21']
    await done('person', 'skjul', '--hvorfor', 'en prøve', ...kari, '--orgnr', SAMPLE.healthy)
    await done('person', 'skjul', '--hvorfor', 'en prøve', ...kari, '--orgnr', SAMPLE.healthy)
    await done('person', 'opphev', '--hvorfor', 'en prøve', ...kari, '--orgnr', SAMPLE.healthy)
    expect((await oppslag(['person', 'opphev', '--hvorfor', 'en prøve', ...kari])).code).toBe(1)
    expect((await ends()).filter(([, , utfall]) => utfall !== 'begynt')).toEqual([
      ['person.skjul', SAMPLE.healthy, 'gjort'],
      ['person.skjul', SAMPLE.healthy, 'uendret'],
      ['person.opphev', SAMPLE.healthy, 'gjort'],
      ['person.opphev', 'alle selskaper', 'uendret'],
    ])
    expect(JSON.stringify(await trail())).not.toMatch(/kari|østvang|1980/i)
  })

  it.each([
    ['Kari Østvang', 'østvang ba om det'],
    ['Kari Østvang', 'Etter brev fra Kari.'],
    ['Bo Li', 'brev fra Bo Li'],
  ])('P19: a reason that names the hidden person is refused: %s, "%s"', async (navn, hvorfor) => {
    const { code, err } = await oppslag([
      ...['person', 'skjul', '--hvorfor', 'en prøve', '--navn', navn, '--fodselsaar', '1980'],
      ...['--hvorfor', hvorfor],
    ])
    expect(code).toBe(2)
    expect(err).toMatch(/^oppslag: .*personens navn.*\n$/)
    expect(await trail()).toEqual([])
  })

  it('nokkel utsted and tilbakekall: the id of the key, never the key or its keeper', async () => {
    const args = [
      'nokkel',
      'utsted',
      '--hvorfor',
      'en prøve',
      '--epost',
      'ola@example.no',
      '--vis',
      '--json',
      '--hvorfor',
      'til prøve',
    ]
    const { id, nokkel } = JSON.parse(await done(...args))
    await done('nokkel', 'tilbakekall', '--hvorfor', 'en prøve', id)
    expect((await oppslag(['nokkel', 'tilbakekall', '--hvorfor', 'en prøve', nokkel])).code).toBe(2)
    expect((await oppslag(['nokkel', 'erstatt', '--hvorfor', 'en prøve', id, '--grunn', 'tapt'])).code).toBe(
      1,
    )
    expect(await ends()).toEqual([
      ['nokkel.utsted', null, 'begynt'],
      ['nokkel.utsted', id, 'gjort'],
      ['nokkel.tilbakekall', id, 'begynt'],
      ['nokkel.tilbakekall', id, 'gjort'],
      ['nokkel.erstatt.tapt', id, 'begynt'],
      ['nokkel.erstatt.tapt', id, 'ugyldig_lenke'],
    ])
    expect(JSON.stringify(await trail())).not.toMatch(/example\.no|bo_live/)
  })

  it('nokkel utsted by mail: how the mail ended', async () => {
    const mail = await startMailServer()
    const env = { SMTP_URL: mail.url, MAIL_FROM: 'nokler@example.no' }
    try {
      const args = ['nokkel', 'utsted', '--hvorfor', 'en prøve', '--epost', 'ola@example.no', '--json']
      const { id } = JSON.parse((await oppslag(args, env)).out)
      mail.behave({ at: 'rcpt', does: 550 })
      expect((await oppslag(args, env)).code).toBe(1)
      expect(await ends()).toEqual([
        ['nokkel.utsted', null, 'begynt'],
        ['nokkel.utsted', id, 'gjort'],
        ['nokkel.utsted', null, 'begynt'],
        ['nokkel.utsted', expect.stringMatching(/^[0-9A-Za-z]{12}$/), 'epost_ikke_sendt'],
      ])
      expect(JSON.stringify(await trail())).not.toContain('example.no')
    } finally {
      await mail.close()
    }
  })

  it('import aksjonaerer: year, rows and the beginning of the digest; a trial changes nothing and leaves nothing', async () => {
    const text = csv(['910000004;FJORDVIK AS;A;KARI ØST;1980;OSLO;NO;60;100'])
    const args = ['import', 'aksjonaerer', '--hvorfor', 'en prøve', await put('a.csv', text), '--aar', '2024']
    await done(...args, '--prov')
    expect(await trail()).toEqual([])
    await done(...args, '--hvem', 'Kari')
    await done(...args)
    const facts = `2024: 1 rader, SHA-256 ${sha(text)}`
    expect(await ends()).toEqual([
      ['import.aksjonaerer', '2024', 'begynt'],
      ['import.aksjonaerer', facts, 'gjort'],
      ['import.aksjonaerer', '2024', 'begynt'],
      ['import.aksjonaerer', facts, 'uendret'],
    ])
    expect((await trail())[0]).toMatchObject({ hvem: 'Kari' })
    const headless = await put('b.csv', 'navn;adresse\n')
    expect(
      (await oppslag(['import', 'aksjonaerer', '--hvorfor', 'en prøve', headless, '--aar', '2024'])).code,
    ).toBe(1)
    expect((await ends()).at(-1)).toEqual(['import.aksjonaerer', '2024', 'ukjent_overskrift'])
  })

  it('import regnskap: lines and the beginning of the digest; a trial leaves nothing', async () => {
    const text = [
      'organisasjonsnummer;regnskapstype;fraDato;tilDato;valuta;sumEiendeler',
      `${SAMPLE.healthy};SELSKAP;2019-01-01;2019-12-31;NOK;100`,
    ].join('\n')
    const path = await put('c.csv', text)
    await done('import', 'regnskap', '--hvorfor', 'en prøve', path, '--prov')
    expect(await trail()).toEqual([])
    await done('import', 'regnskap', '--hvorfor', 'en prøve', path)
    await done('import', 'regnskap', '--hvorfor', 'en prøve', path)
    const facts = `1 linjer, SHA-256 ${sha(text)}`
    expect((await ends()).filter(([, , utfall]) => utfall !== 'begynt')).toEqual([
      ['import.regnskap', facts, 'gjort'],
      ['import.regnskap', facts, 'uendret'],
    ])
  })

  it('operator ny and tilbakekall: whose, with what role, never the token', async () => {
    const { token } = JSON.parse(
      await done('operator', 'ny', '--hvorfor', 'en prøve', '--navn', 'Kari', '--rolle', 'skrive', '--json'),
    )
    expect((await oppslag(['operator', 'tilbakekall', '--hvorfor', 'en prøve', token])).code).toBe(1)
    await done('operator', 'tilbakekall', '--hvorfor', 'en prøve', 'Kari')
    expect(await ends()).toEqual([
      ['operator.ny.skrive', null, 'begynt'],
      ['operator.ny.skrive', 'Kari', 'gjort'],
      ['operator.tilbakekall', null, 'begynt'],
      ['operator.tilbakekall', null, 'ukjent_operator'],
      ['operator.tilbakekall', null, 'begynt'],
      ['operator.tilbakekall', 'Kari', 'gjort'],
    ])
    expect(JSON.stringify(await trail())).not.toContain('bodrift_')
  })

  it.each([['ola@example.no'], [`bodrift_${'a'.repeat(43)}`], [' ']])(
    '--hvem that can not stand there is refused before anything is done: %s',
    async (hvem) => {
      const { code, err } = await oppslag([
        'foretak',
        'foreld',
        '--alle',
        '--hvorfor',
        'en prøve',
        '--hvem',
        hvem,
      ])
      expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(/^oppslag: --hvem er .*\n$/) })
      expect(await trail()).toEqual([])
    },
  )
})

describe("the cache's Redis is away", () => {
  it('an operator is told what to look at, and the trail how it ended', async () => {
    const { code, out, err } = await oppslag(['foretak', 'foreld', '--alle', '--hvorfor', 'en prøve'], {
      CACHE_REDIS_URL: NOWHERE,
    })
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(/^oppslag: Mellomlagerets Redis .*CACHE_REDIS_URL.*en gang til\.\n$/)
    expect((await ends()).at(-1)).toEqual(['foretak.foreld', 'alle foretak', 'mellomlager_utilgjengelig'])
  })
})

describe('levetider', () => {
  it('takes calls a second with decimals, as the page does', async () => {
    await done('levetider', 'beregn', 'regnskap.kall', '0.5')
    const set = ['levetider', 'sett', 'regnskap.kall', '0,5', '--hvorfor', 'registeret ber om det', '--json']
    expect(JSON.parse(await done(...set))).toMatchObject({ verdier: { 'regnskap.kall': 0.5 } })
    for (const wrong of ['0.05', '0.125', 'halv'])
      expect((await oppslag(['levetider', 'beregn', 'regnskap.kall', wrong])).code).toBe(2)
    expect((await oppslag(['levetider', 'beregn', 'regnskap.fersk', '3600.5'])).code).toBe(2)
  })

  it('says what can be tuned when asked for something else, and what was typed stands in no trail', async () => {
    const names =
      /^oppslag: Dette kan stilles: enhet\.fersk, .*kunngjoringer_lesere\.kall, regnskapskopier_lesere\.kall\.\n$/
    const typed = `bo_live_${'a'.repeat(61)}`
    expect((await oppslag(['levetider', 'beregn', typed, '5'])).err).toMatch(names)
    const set = await oppslag(['levetider', 'sett', typed, '5', '--hvorfor', 'en prøve'])
    expect(set).toMatchObject({ code: 2, err: expect.stringMatching(names) })
    expect(await trail()).toEqual([])
  })
})

it.each([
  ['aksjonaerer', ['--aar', '2024']],
  ['regnskap', []],
])('a file that is not there is not understood, and nothing is begun: import %s', async (what, options) => {
  const { code, err } = await oppslag([
    'import',
    what,
    '--hvorfor',
    'en prøve',
    join(folder, 'ingen.csv'),
    ...options,
  ])
  expect({ code, err }).toEqual({
    code: 2,
    err: expect.stringMatching(/^oppslag: Filen .* finnes ikke.*\n$/),
  })
  expect(await trail()).toEqual([])
})
