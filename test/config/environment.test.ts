import { chmodSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readEnvironment, variables } from '#config/environment.ts'
import { policy } from '#config/policy.ts'
import { exampleEnv, exampleEnvFile } from '#src/commands/example-env.ts'
import { ConfigurationError } from '#src/core/errors.ts'

describe('configuration', () => {
  it('nothing set is a service that runs', () => {
    expect(readEnvironment({})).toMatchObject({
      port: 8080,
      databaseUrl: null,
      registerUrl: 'https://data.brreg.no',
      kunngjoringUrl: 'https://w2.brreg.no',
      klassUrl: 'https://data.ssb.no',
      kunngjoringer: 'w2',
      answerDeadlineMs: 2500,
    })
  })

  it.each([
    ['PORT', '80a'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PUBLIC_URL', 'oppslag.example'],
    ['REGISTER_URL', 'ftp://data.brreg.no'],
    ['REGISTER_URL', 'https://bruker:hemmelig@data.brreg.no'],
    ['PUBLIC_URL', 'https://bruker@oppslag.example'],
    ['DATABASE_URL', 'mysql://x'],
    ['DATABASE_URL', 'postgres://db/x?sslmode=verify-full&sslrootcert=/ingen/slik/fil.pem'],
    ['CACHE_REDIS_URL', 'redis://:hemmelig%@cache:6379'],
    ['CACHE_REDIS_URL', 'redis://cache:6379/forste'],
    ['CACHE_REDIS_URL', 'redis://cache:6379?db=forste'],
    ['CACHE_REDIS_URL', 'redis://cache:6379?db='],
    ['CACHE_REDIS_URL', 'redis://cache:6379?db=1&db=forste'],
    ['CACHE_REDIS_URL', 'redis://cache:6379?DB=3'],
    ['CACHE_REDIS_URL', 'redis://cache:6379?keyPrefix=andre:'],
    ['QUEUE_REDIS_URL', 'redis://ko%zz:hemmelig@queue:6379'],
    ['SMTP_URL', 'smtps://bruker:100%hemmelig@post.example'],
    ['KUNNGJORINGER', 'på'],
    ['CONTACT', 'a\r\nb: c'],
    ['ANSWER_DEADLINE_MS', '5'],
    ['ANSWER_DEADLINE_MS', '2500.5'],
    ['KUNNGJORING_CALLS_PER_SECOND', '0'],
    ['KUNNGJORING_CALLS_PER_SECOND', '0.05'],
    ['KUNNGJORING_CALLS_PER_SECOND', '0.333'],
    ['KUNNGJORING_CALLS_PER_SECOND', '1e2'],
    ['KUNNGJORING_CALLS_PER_SECOND', '1001'],
    ['MILJO', 'prod'],
    ['VIPPS_URL', 'api.vipps.no'],
    ['VIPPS_CLIENT_SECRET', 'hemmelig hemmelig'],
    ['VIPPS_MSN', '12A456'],
    ['SELLER_ORGNR', '12345678'],
    ['PRICE_ORE', '99'],
    ['CURRENCY', 'USD'],
    ['SALE', 'kanskje'],
    ['LOG_LEVEL', 'verbose'],
    ['TRUST_PROXY', 'everyone'],
    ['TRUST_PROXY', '10.0.0.0/8, 10.0.0/8'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['WORKERS', '0'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
  ])('a malformed %s (%j) stops the start with one line that names it', (name, value) => {
    try {
      readEnvironment({ [name]: value })
      expect.unreachable()
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigurationError)
      expect((error as Error).message).toMatch(new RegExp(`^${name}: expected [^\\n]+$`))
    }
  })

  it('less than one call a second can be said', () => {
    const calls = (KUNNGJORING_CALLS_PER_SECOND: string) =>
      readEnvironment({ KUNNGJORING_CALLS_PER_SECOND }).kunngjoringCallsPerSecond
    expect([calls('0.1'), calls('0.5'), calls('2.25'), calls('1000')]).toEqual([0.1, 0.5, 2.25, 1000])
  })

  it('an address that may hold a password is not repeated', () => {
    expect(() => readEnvironment({ DATABASE_URL: 'mysql://u:hemmelig@db' })).toThrow(/^(?!.*hemmelig)/)
  })

  const vipps = {
    VIPPS_CLIENT_ID: 'klient-en',
    VIPPS_CLIENT_SECRET: 'hemmelig-en',
    VIPPS_SUBSCRIPTION_KEY: 'abonnement-en',
    VIPPS_MSN: '123456',
  }

  it('without anything of Vipps the sale is closed; with all of it, it is open at the real host', () => {
    expect(readEnvironment({}).vipps).toBeNull()
    expect(readEnvironment({ VIPPS_URL: 'https://apitest.vipps.no' }).vipps).toBeNull()
    expect(readEnvironment(vipps).vipps).toEqual({
      url: 'https://api.vipps.no',
      clientId: 'klient-en',
      clientSecret: 'hemmelig-en',
      subscriptionKey: 'abonnement-en',
      merchantSerialNumber: '123456',
    })
  })

  it.each(Object.keys(vipps))('all of Vipps but %s stops the start, and names it and no secret', (name) => {
    expect(() => readEnvironment({ ...vipps, [name]: '' })).toThrow(ConfigurationError)
    expect(() => readEnvironment({ ...vipps, [name]: '' })).toThrow(new RegExp(`^${name}: (?!.*hemmelig)`))
  })

  const sale = {
    SELLER_NAME: 'Oppslag Eksempel AS',
    SELLER_ORGNR: '999 999 999 MVA',
    SELLER_ADDRESS: 'Prøvegata 1, 0001 Oslo',
    SELLER_VAT_TEXT: 'Herav mva. 25 %: 99,80 kr',
    PRICE_ORE: '49900',
  }

  it('without a seller and a price nothing is sold; with them it is, until it is said to be closed', () => {
    expect(readEnvironment({}).sale).toBeNull()
    expect(readEnvironment(sale).sale).toEqual({
      isOpen: true,
      seller: {
        name: 'Oppslag Eksempel AS',
        organisationNumber: '999 999 999 MVA',
        address: 'Prøvegata 1, 0001 Oslo',
        vatText: 'Herav mva. 25 %: 99,80 kr',
      },
      product: 'API-nøkkel, ett år',
      english: { product: 'API key, one year', vatText: 'Herav mva. 25 %: 99,80 kr' },
      priceOre: 49_900,
      currency: 'NOK',
    })
    expect(readEnvironment({ ...sale, SALE: 'stengt' }).sale?.isOpen).toBe(false)
  })

  it.each(Object.keys(sale))('all of the sale but %s stops the start, and names it', (name) => {
    expect(() => readEnvironment({ ...sale, [name]: '' })).toThrow(new RegExp(`^${name}: `))
  })

  it('a set but empty variable means its default', () => {
    expect(readEnvironment({ PORT: '', REGISTER_URL: ' ' })).toEqual(readEnvironment({}))
  })

  describe('a value in a file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'env-'))
    afterAll(() => rmSync(folder, { recursive: true }))
    const fileOf = (text: string, mode: number) => {
      const path = join(folder, `secret-${mode.toString(8)}`)
      writeFileSync(path, text)
      chmodSync(path, mode)
      return path
    }

    it('is read, without the line break at its end', () => {
      const path = fileOf('postgres://u:hemmelig@db/oppslag\n', 0o400)
      expect(readEnvironment({ DATABASE_URL_FILE: path }).databaseUrl).toBe(
        'postgres://u:hemmelig@db/oppslag',
      )
    })

    it.skipIf(process.platform === 'win32')('that everybody may read stops the start', () => {
      const path = fileOf('postgres://u:hemmelig@db/oppslag', 0o644)
      expect(() => readEnvironment({ DATABASE_URL_FILE: path })).toThrow(/^DATABASE_URL_FILE: .*chmod 0400/)
    })

    it('P37: attack: that is empty, or has only blanks, stops the start: no other database is begun in the place of one that was meant', () => {
      for (const text of ['', ' \n'])
        expect(() => readEnvironment({ DATABASE_URL_FILE: fileOf(text, 0o600) })).toThrow(
          /^DATABASE_URL_FILE: expected a file with something in it/,
        )
    })

    it.skipIf(process.platform === 'win32')('that can not be come to stops the start in one line', () => {
      const path = join(folder, 'i-ring')
      symlinkSync(path, path)
      expect(() => readEnvironment({ DATABASE_URL_FILE: path })).toThrow(
        /^DATABASE_URL_FILE: expected a file that exists, where this process may go, found ".*"\.$/,
      )
    })

    it('that is not there, or beside the variable itself, stops the start and is not repeated', () => {
      const path = fileOf('hemmelig', 0o600)
      expect(() => readEnvironment({ DATABASE_URL_FILE: join(folder, 'ingen') })).toThrow(/that exists/)
      expect(() => readEnvironment({ DATABASE_URL_FILE: folder })).toThrow(/that exists/)
      expect(() => readEnvironment({ DATABASE_URL_FILE: path, DATABASE_URL: 'postgres://x' })).toThrow(/both/)
      expect(() => readEnvironment({ DATABASE_URL_FILE: path })).toThrow(/^(?!.*hemmelig)/)
    })
  })

  it('config/example.env is the table of variables', () => {
    expect(readFileSync(exampleEnvFile, 'utf8')).toBe(exampleEnv())
  })

  it('P43: who waits for a turn is answered before the connection is given up, and a silent one is within twenty seconds', () => {
    const { connectionTimeoutMs, idleTimeoutMs } = policy.http
    const behindMs = 2000
    for (const { waitMs } of [policy.readings, policy.search])
      expect(waitMs + readEnvironment({}).answerDeadlineMs + behindMs).toBeLessThan(connectionTimeoutMs)
    const { givingWayWaitMs, paymentDeadlineMs } = policy.sales
    expect(givingWayWaitMs + paymentDeadlineMs + behindMs).toBeLessThan(connectionTimeoutMs)
    // Node adds a second; what is the same is not set anew.
    expect(idleTimeoutMs + 1000).toBe(connectionTimeoutMs)
    expect(connectionTimeoutMs).toBeLessThan(20_000)
  })

  it('every default in the table is understood', () => {
    const defaults = Object.fromEntries(
      Object.entries(variables).map(([name, { standard }]) => [name, standard]),
    )
    expect(readEnvironment(defaults)).toEqual(readEnvironment({}))
  })
})
