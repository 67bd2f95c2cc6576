import { resolve } from 'node:path'
import { ConfigurationError } from '#src/core/errors.ts'
import { givenText } from './from-file.ts'

/**
 * Every environment variable the service reads: its meaning, its default and how its text is understood.
 * Read once at a door, then handed on as values; nothing else looks at the process environment.
 * Each may also be given as a file: `NAME_FILE` is then the file's path.
 * `config/example.env` is written from this table (`npm run -s example-env`), and a test holds them together.
 */
export const variables = {
  PORT: {
    meaning: 'Port the service listens on; 0 lets the system choose.',
    standard: '8080',
    read: whole(0, 65535),
  },
  HOST: {
    meaning: 'Address the service listens on.',
    standard: '127.0.0.1',
    read: text(1, 255),
  },
  PUBLIC_URL: {
    meaning:
      'Address callers reach the service at; stands in problem types and the documentation. Empty: HOST and PORT.',
    standard: '',
    read: optional(webAddress),
  },
  TRUST_PROXY: {
    meaning: 'Networks (CIDR, comma separated) whose X-Forwarded-For is believed. Empty: nobody.',
    standard: '',
    read: optional(networks),
  },
  DATA_DIR: {
    meaning: 'Folder for what the service keeps on disk itself: the embedded database.',
    standard: '.data',
    read: (value: string) => resolve(value),
  },
  DATABASE_URL: {
    meaning: 'PostgreSQL 15 or newer. Empty: an embedded PostgreSQL under DATA_DIR.',
    standard: '',
    read: optional(databaseAddress),
  },
  CACHE_REDIS_URL: {
    meaning:
      'Redis the processes share their cache in; it may evict. Empty: each process has its memory alone.',
    standard: '',
    read: optional(redisAddress),
  },
  QUEUE_REDIS_URL: {
    meaning: 'Redis for the queues, which must not evict (noeviction). Empty: the queues live in PostgreSQL.',
    standard: '',
    read: optional(redisAddress),
  },
  REGISTER_URL: {
    meaning: 'Enhetsregisteret, Fullmakt and Regnskapsregisteret.',
    standard: 'https://data.brreg.no',
    read: webAddress,
  },
  KUNNGJORING_URL: {
    meaning: 'The announcements of Brønnøysundregistrene.',
    standard: 'https://w2.brreg.no',
    read: webAddress,
  },
  KLASS_URL: {
    meaning: 'SSB KLASS, where the correspondence from SN2025 to SN2007 comes from.',
    standard: 'https://data.ssb.no',
    read: webAddress,
  },
  KUNNGJORINGER: {
    meaning: 'w2: read the announcements page. av: never; the section is then unavailable in every record.',
    standard: 'w2',
    read: choice('w2', 'av'),
  },
  KUNNGJORING_CALLS_PER_SECOND: {
    meaning:
      'Most calls a second to the announcements page; it is meant for people. Beyond it the section is unavailable.',
    standard: '5',
    read: whole(1, 1000),
  },
  CONTACT: {
    meaning: 'E-mail or web address the registers can reach the operator at; sent in User-Agent.',
    standard: 'https://bedriftsoppslag.example',
    read: text(3, 200),
  },
  ANSWER_DEADLINE_MS: {
    meaning:
      'The whole time one record may take, in milliseconds. A source that is later is unavailable in that answer.',
    standard: '2500',
    read: whole(100, 60_000),
  },
  MILJO: {
    meaning: 'live or test: the kind of key the oppslag command makes when not told otherwise.',
    standard: 'live',
    read: choice('live', 'test'),
  },
  LOG_LEVEL: {
    meaning: 'How much is logged.',
    standard: 'info',
    read: choice('fatal', 'error', 'warn', 'info', 'debug', 'silent'),
  },
  LOG_FILE: {
    meaning: 'File the log is appended to. Empty: standard output.',
    standard: '',
    read: optional((value: string) => resolve(value)),
  },
} as const

export type VariableName = keyof typeof variables

export type Environment = {
  readonly port: number
  readonly host: string
  /** Without a trailing slash; null until the port is known. */
  readonly publicUrl: string | null
  readonly trustProxy: readonly string[] | null
  readonly dataDir: string
  /** null: the embedded database. */
  readonly databaseUrl: string | null
  readonly cacheRedisUrl: string | null
  readonly queueRedisUrl: string | null
  readonly registerUrl: string
  readonly kunngjoringUrl: string
  readonly klassUrl: string
  readonly kunngjoringer: 'w2' | 'av'
  readonly kunngjoringCallsPerSecond: number
  readonly contact: string
  readonly answerDeadlineMs: number
  readonly miljo: 'live' | 'test'
  readonly logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'silent'
  readonly logFile: string | null
}

/**
 * Reads the environment once.
 *
 * @throws ConfigurationError one line: the variable, what was found and what was expected. Addresses are not repeated
 *   back, since they may hold a password.
 */
export function readEnvironment(env: Readonly<Record<string, string | undefined>>): Environment {
  return {
    port: value('PORT', env),
    host: value('HOST', env),
    publicUrl: value('PUBLIC_URL', env),
    trustProxy: value('TRUST_PROXY', env),
    dataDir: value('DATA_DIR', env),
    databaseUrl: value('DATABASE_URL', env),
    cacheRedisUrl: value('CACHE_REDIS_URL', env),
    queueRedisUrl: value('QUEUE_REDIS_URL', env),
    registerUrl: value('REGISTER_URL', env),
    kunngjoringUrl: value('KUNNGJORING_URL', env),
    klassUrl: value('KLASS_URL', env),
    kunngjoringer: value('KUNNGJORINGER', env),
    kunngjoringCallsPerSecond: value('KUNNGJORING_CALLS_PER_SECOND', env),
    contact: value('CONTACT', env),
    answerDeadlineMs: value('ANSWER_DEADLINE_MS', env),
    miljo: value('MILJO', env),
    logLevel: value('LOG_LEVEL', env),
    logFile: value('LOG_FILE', env),
  }
}

type Read<Name extends VariableName> = ReturnType<(typeof variables)[Name]['read']>

function value<Name extends VariableName>(
  name: Name,
  env: Readonly<Record<string, string | undefined>>,
): Read<Name> {
  const variable = variables[name]
  const found = givenText(name, env) || variable.standard
  try {
    return variable.read(found) as Read<Name>
  } catch (error) {
    const expected = error instanceof NotUnderstood ? error.message : String(error)
    throw new ConfigurationError(`${name}: expected ${expected}. (${variable.meaning})`)
  }
}

class NotUnderstood extends Error {}

function whole(least: number, most: number) {
  return (value: string): number => {
    const number = Number(value)
    if (!/^[0-9]+$/.test(value) || number < least || number > most) {
      throw new NotUnderstood(`a whole number from ${least} to ${most}, found "${value.slice(0, 40)}"`)
    }
    return number
  }
}

function text(least: number, most: number) {
  return (value: string): string => {
    // A line break here would end up in a header.
    if (value.length < least || value.length > most || /[^\x20-\x7e]/.test(value)) {
      throw new NotUnderstood(`${least} to ${most} printable ASCII characters`)
    }
    return value
  }
}

function choice<const Words extends readonly string[]>(...words: Words) {
  return (value: string): Words[number] => {
    if (!words.includes(value)) {
      throw new NotUnderstood(`one of ${words.join(', ')}, found "${value.slice(0, 40)}"`)
    }
    return value as Words[number]
  }
}

function optional<T>(read: (value: string) => T) {
  return (value: string): T | null => (value === '' ? null : read(value))
}

function webAddress(value: string): string {
  const url = URL.parse(value)
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.search !== '' || url.hash !== '') {
    throw new NotUnderstood('an http or https address without query')
  }
  return url.href.replace(/\/+$/, '')
}

function databaseAddress(value: string): string {
  const url = URL.parse(value)
  if (url === null || !['postgres:', 'postgresql:'].includes(url.protocol)) {
    throw new NotUnderstood('an address that begins with postgres://')
  }
  return value
}

function redisAddress(value: string): string {
  const url = URL.parse(value)
  if (url === null || !['redis:', 'rediss:'].includes(url.protocol)) {
    throw new NotUnderstood('an address that begins with redis:// or rediss://')
  }
  return value
}

function networks(value: string): readonly string[] {
  const parts = value.split(',').map((part) => part.trim())
  if (!parts.every((part) => /^[0-9a-fA-F.:]+(\/[0-9]{1,3})?$/.test(part))) {
    throw new NotUnderstood('networks like 10.0.0.0/8, comma separated')
  }
  return parts
}
