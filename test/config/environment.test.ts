import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readEnvironment, variables } from '#config/environment.ts'
import { exampleEnv, exampleEnvFile } from '#config/tools/example-env.ts'
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
    ['DATABASE_URL', 'mysql://x'],
    ['KUNNGJORINGER', 'på'],
    ['CONTACT', 'a\r\nb: c'],
    ['ANSWER_DEADLINE_MS', '5'],
    ['MILJO', 'prod'],
    ['LOG_LEVEL', 'verbose'],
    ['TRUST_PROXY', 'everyone'],
  ])('a malformed %s (%j) stops the start with one line that names it', (name, value) => {
    try {
      readEnvironment({ [name]: value })
      expect.unreachable()
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigurationError)
      expect((error as Error).message).toMatch(new RegExp(`^${name}: expected [^\\n]+$`))
    }
  })

  it('an address that may hold a password is not repeated', () => {
    expect(() => readEnvironment({ DATABASE_URL: 'mysql://u:hemmelig@db' })).toThrow(/^(?!.*hemmelig)/)
  })

  it('a set but empty variable means its default', () => {
    expect(readEnvironment({ PORT: '', REGISTER_URL: ' ' })).toEqual(readEnvironment({}))
  })

  it('config/example.env is the table of variables', () => {
    expect(readFileSync(exampleEnvFile, 'utf8')).toBe(exampleEnv())
  })

  it('every default in the table is understood', () => {
    const defaults = Object.fromEntries(
      Object.entries(variables).map(([name, { standard }]) => [name, standard]),
    )
    expect(readEnvironment(defaults)).toEqual(readEnvironment({}))
  })
})
