import { createPrivateKey } from 'node:crypto'
import { resolve } from 'node:path'
import { parseEmailAddress } from '#src/core/email-address.ts'
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
  OPS_PORT: {
    meaning:
      "Port of the operators' side, in every process; 0 lets the system choose. Two processes on one machine need two.",
    standard: '8081',
    read: whole(0, 65535),
  },
  OPS_HOST: {
    meaning:
      "Address of the operators' side. Whoever reaches it sees health and metrics; the rest wants an operator's token.",
    standard: '127.0.0.1',
    read: text(1, 255),
  },
  WORKERS: {
    meaning:
      'How many fronts `npm run -s fronts` keeps on HOST and PORT, one for each core. The first has OPS_PORT, the next OPS_PORT + 1, …',
    standard: '1',
    read: whole(1, 64),
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
    meaning:
      'Folder for what the service keeps on disk itself: the embedded database, and mails when SMTP_URL is empty.',
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
  VIPPS_URL: {
    meaning:
      'Vipps MobilePay. Its test host is https://apitest.vipps.no, with keys and sales units of its own.',
    standard: 'https://api.vipps.no',
    read: webAddress,
  },
  VIPPS_CLIENT_ID: {
    meaning:
      'Of the sales unit, from the business portal. All four are set, or none: then nothing can be bought.',
    standard: '',
    read: optional(secret),
  },
  VIPPS_CLIENT_SECRET: {
    meaning: 'Of the sales unit.',
    standard: '',
    read: optional(secret),
  },
  VIPPS_SUBSCRIPTION_KEY: {
    meaning: 'Ocp-Apim-Subscription-Key, primary or secondary: one is renewed while the other is in use.',
    standard: '',
    read: optional(secret),
  },
  VIPPS_MSN: {
    meaning: 'Merchant serial number of the sales unit.',
    standard: '',
    read: optional(merchantSerialNumber),
  },
  SELLER_NAME: {
    meaning:
      'Who sells, as it stands on receipts and pages. SELLER_* and PRICE_ORE are all set, or none: then nothing is sold.',
    standard: '',
    read: optional(words(2, 200)),
  },
  SELLER_ORGNR: {
    meaning: "The seller's organisation number, with MVA behind it when it is in the VAT register.",
    standard: '',
    read: optional(sellerNumber),
  },
  SELLER_ADDRESS: {
    meaning: "The seller's postal address, on one line.",
    standard: '',
    read: optional(words(5, 300)),
  },
  SELLER_VAT_TEXT: {
    meaning: 'What receipts say of VAT: rate and amount, or that none is charged, and why.',
    standard: '',
    read: optional(words(3, 200)),
  },
  PRODUCT_NAME: {
    meaning: 'What is sold, as the buyer sees it at Vipps and on the receipt.',
    standard: 'API-nøkkel, ett år',
    read: words(3, 100),
  },
  PRICE_ORE: {
    meaning: 'The price of a year in øre (hundredths of CURRENCY), VAT included.',
    standard: '',
    read: optional(whole(100, 100_000_000)),
  },
  CURRENCY: {
    meaning: 'The currency of the price.',
    standard: 'NOK',
    read: choice('NOK', 'DKK', 'EUR', 'SEK'),
  },
  SALE: {
    meaning: 'stengt: no new orders; those there are come to their end.',
    standard: 'apen',
    read: choice('apen', 'stengt'),
  },
  SMTP_URL: {
    meaning:
      'Mail server: smtps:// or smtp+starttls://, user:password@host:port; smtp:// is in the clear. Empty: mails are files.',
    standard: '',
    read: optional(mailServerAddress),
  },
  MAIL_FROM: {
    meaning:
      'Sender of mails, "Name <address>" or an address. Needed with SMTP_URL; SPF and DMARC of its domain are yours.',
    standard: 'Bedriftsoppslag <nokler@bedriftsoppslag.example>',
    read: mailbox,
  },
  MAIL_REPLY_TO: {
    meaning: 'Where answers to mails go: to somebody who reads them. Empty: to MAIL_FROM.',
    standard: '',
    read: optional(emailAddress),
  },
  MAIL_BOUNCE: {
    meaning: 'Where mail servers report what they could not deliver (the return path). Empty: to MAIL_FROM.',
    standard: '',
    read: optional(emailAddress),
  },
  DKIM_DOMAIN: {
    meaning:
      'Domain mails are signed for. Set with DKIM_SELECTOR and DKIM_KEY, or none of them: then the mail server signs.',
    standard: '',
    read: optional(domainName),
  },
  DKIM_SELECTOR: {
    meaning: 'The public key is in DNS at <selector>._domainkey.<domain>.',
    standard: '',
    read: optional(domainName),
  },
  DKIM_KEY: {
    meaning: 'The private RSA key, PEM; usually as DKIM_KEY_FILE.',
    standard: '',
    read: optional(signingKey),
  },
  MILJO: {
    meaning: 'live or test: the kind of key the oppslag command makes when not told otherwise.',
    standard: 'live',
    read: choice('live', 'test'),
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    meaning: 'Where traces are sent (OTLP over HTTP, /v1/traces is added). Empty: nothing is traced.',
    standard: '',
    read: optional(webAddress),
  },
  OTEL_TRACES_SAMPLER_ARG: {
    meaning: 'Share of the requests that are traced, from 0 to 1.',
    standard: '1',
    read: share,
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

/** What it takes to be paid. */
export type VippsAccess = {
  /** Without a trailing slash. */
  readonly url: string
  readonly clientId: string
  readonly clientSecret: string
  readonly subscriptionKey: string
  readonly merchantSerialNumber: string
}

/** How mail goes out, and under which name. */
export type MailSettings = {
  /** null: mails are files under `dataDir`. */
  readonly smtpUrl: string | null
  readonly from: Mailbox
  readonly replyTo: string | null
  readonly bounceAddress: string | null
  /** null: not signed here. */
  readonly dkim: { readonly domain: string; readonly selector: string; readonly privateKey: string } | null
}

export type Mailbox = { readonly name: string | null; readonly address: string }

/** What is sold, and by whom. */
export type SaleTerms = {
  readonly isOpen: boolean
  readonly seller: {
    readonly name: string
    readonly organisationNumber: string
    readonly address: string
    readonly vatText: string
  }
  readonly product: string
  readonly priceOre: number
  readonly currency: string
}

export type Environment = {
  readonly port: number
  readonly host: string
  readonly opsPort: number
  readonly opsHost: string
  /** Fronts side by side; looked at only by the process that keeps them. */
  readonly fronts: number
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
  /** null: the sale is closed. */
  readonly vipps: VippsAccess | null
  /** null: nothing is sold. */
  readonly sale: SaleTerms | null
  readonly mail: MailSettings
  readonly miljo: 'live' | 'test'
  /** null: nothing is traced. */
  readonly traces: { readonly url: string; readonly share: number } | null
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
    opsPort: value('OPS_PORT', env),
    opsHost: value('OPS_HOST', env),
    fronts: value('WORKERS', env),
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
    vipps: vippsAccess(env),
    sale: saleTerms(env),
    mail: mailSettings(env),
    miljo: value('MILJO', env),
    traces: traces(env),
    logLevel: value('LOG_LEVEL', env),
    logFile: value('LOG_FILE', env),
  }
}

function traces(env: Readonly<Record<string, string | undefined>>): Environment['traces'] {
  const url = value('OTEL_EXPORTER_OTLP_ENDPOINT', env)
  return url === null ? null : { url, share: value('OTEL_TRACES_SAMPLER_ARG', env) }
}

/** Half of it is a mistake, and found out now rather than by the first buyer. */
function vippsAccess(env: Readonly<Record<string, string | undefined>>): VippsAccess | null {
  const url = value('VIPPS_URL', env)
  const clientId = value('VIPPS_CLIENT_ID', env)
  const clientSecret = value('VIPPS_CLIENT_SECRET', env)
  const subscriptionKey = value('VIPPS_SUBSCRIPTION_KEY', env)
  const merchantSerialNumber = value('VIPPS_MSN', env)
  if (
    clientId !== null &&
    clientSecret !== null &&
    subscriptionKey !== null &&
    merchantSerialNumber !== null
  ) {
    return { url, clientId, clientSecret, subscriptionKey, merchantSerialNumber }
  }
  const found = {
    VIPPS_CLIENT_ID: clientId,
    VIPPS_CLIENT_SECRET: clientSecret,
    VIPPS_SUBSCRIPTION_KEY: subscriptionKey,
    VIPPS_MSN: merchantSerialNumber,
  }
  const missing = Object.entries(found).flatMap(([name, value]) => (value === null ? [name] : []))
  if (missing.length === Object.keys(found).length) return null
  throw new ConfigurationError(
    `${missing.join(', ')}: expected a value, since other variables of Vipps are set. (All are set, or none.)`,
  )
}

/** Norwegian law wants all of it on a receipt. */
function saleTerms(env: Readonly<Record<string, string | undefined>>): SaleTerms | null {
  const name = value('SELLER_NAME', env)
  const organisationNumber = value('SELLER_ORGNR', env)
  const address = value('SELLER_ADDRESS', env)
  const vatText = value('SELLER_VAT_TEXT', env)
  const priceOre = value('PRICE_ORE', env)
  const common = {
    isOpen: value('SALE', env) === 'apen',
    product: value('PRODUCT_NAME', env),
    currency: value('CURRENCY', env),
  }
  if (
    name !== null &&
    organisationNumber !== null &&
    address !== null &&
    vatText !== null &&
    priceOre !== null
  ) {
    return { ...common, priceOre, seller: { name, organisationNumber, address, vatText } }
  }
  const found = {
    SELLER_NAME: name,
    SELLER_ORGNR: organisationNumber,
    SELLER_ADDRESS: address,
    SELLER_VAT_TEXT: vatText,
    PRICE_ORE: priceOre,
  }
  const missing = Object.entries(found).flatMap(([name, value]) => (value === null ? [name] : []))
  if (missing.length === Object.keys(found).length) return null
  throw new ConfigurationError(
    `${missing.join(', ')}: expected a value, since other variables of the sale are set. (All are set, or none.)`,
  )
}

function mailSettings(env: Readonly<Record<string, string | undefined>>): MailSettings {
  const smtpUrl = value('SMTP_URL', env)
  if (smtpUrl !== null && !givenText('MAIL_FROM', env)) {
    throw new ConfigurationError(
      `MAIL_FROM: expected a sender, since SMTP_URL is set. (${variables.MAIL_FROM.meaning})`,
    )
  }
  return {
    smtpUrl,
    from: value('MAIL_FROM', env),
    replyTo: value('MAIL_REPLY_TO', env),
    bounceAddress: value('MAIL_BOUNCE', env),
    dkim: dkimKey(env),
  }
}

function dkimKey(env: Readonly<Record<string, string | undefined>>): MailSettings['dkim'] {
  const domain = value('DKIM_DOMAIN', env)
  const selector = value('DKIM_SELECTOR', env)
  const privateKey = value('DKIM_KEY', env)
  if (domain !== null && selector !== null && privateKey !== null) return { domain, selector, privateKey }
  const found = { DKIM_DOMAIN: domain, DKIM_SELECTOR: selector, DKIM_KEY: privateKey }
  const missing = Object.entries(found).flatMap(([name, value]) => (value === null ? [name] : []))
  if (missing.length === Object.keys(found).length) return null
  throw new ConfigurationError(
    `${missing.join(', ')}: expected a value, since mails are to be signed. (All of DKIM_* are set, or none.)`,
  )
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

function share(value: string): number {
  if (!/^(0|1|0?\.[0-9]{1,6}|1\.0*)$/.test(value)) throw new NotUnderstood('a number from 0 to 1')
  return Number(value)
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

/** It is sent in a header, and is not repeated back. */
function secret(value: string): string {
  if (!/^[\x21-\x7e]{8,200}$/.test(value))
    throw new NotUnderstood('8 to 200 printable ASCII characters, no space')
  return value
}

function merchantSerialNumber(value: string): string {
  if (!/^[0-9]{4,12}$/.test(value)) throw new NotUnderstood('4 to 12 digits')
  return value
}

/** Text for people, in any script, on one line. */
function words(least: number, most: number) {
  return (value: string): string => {
    if (value.length < least || value.length > most || /\p{Cc}/u.test(value)) {
      throw new NotUnderstood(`${least} to ${most} characters on one line`)
    }
    return value
  }
}

function sellerNumber(value: string): string {
  if (!/^[0-9]{3} ?[0-9]{3} ?[0-9]{3}( ?MVA)?$/.test(value)) {
    throw new NotUnderstood('nine digits, and MVA behind them or not')
  }
  return value
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

function mailServerAddress(value: string): string {
  const url = URL.parse(value)
  const isOnlyServer =
    url !== null && ['', '/'].includes(url.pathname) && url.search === '' && url.hash === ''
  if (!isOnlyServer || !['smtp:', 'smtps:', 'smtp+starttls:'].includes(url.protocol) || url.hostname === '') {
    throw new NotUnderstood('smtps://, smtp+starttls:// or smtp://, a host, and nothing behind it')
  }
  if ((url.username === '') !== (url.password === '')) throw new NotUnderstood('both user and password')
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  if (url.username !== '' && url.protocol === 'smtp:' && !isHere) {
    throw new NotUnderstood(
      'smtps:// or smtp+starttls://: with smtp:// the password would be sent in the clear',
    )
  }
  return value
}

function emailAddress(value: string): string {
  try {
    return parseEmailAddress(value)
  } catch {
    throw new NotUnderstood('one e-mail address, without a name')
  }
}

function mailbox(value: string): Mailbox {
  const form = /^([^<>"]{1,100}) <([^<> ]+)>$/.exec(value)
  if (form === null) return { name: null, address: emailAddress(value) }
  const [, name = '', address = ''] = form
  return { name: words(1, 100)(name.trim()), address: emailAddress(address) }
}

function domainName(value: string): string {
  if (!/^[a-z0-9](?:[a-z0-9.-]{0,250}[a-z0-9])?$/.test(value)) {
    throw new NotUnderstood('a name in small letters, as it is in DNS')
  }
  return value
}

/** A key that can not sign would let mails go out unsigned, and nobody would notice. RFC 8301 wants 1024 bits, better 2048. */
function signingKey(value: string): string {
  const expected = new NotUnderstood('a private RSA key of 1024 to 4096 bits, PEM')
  try {
    const key = createPrivateKey(value)
    const bits = key.asymmetricKeyDetails?.modulusLength ?? 0
    if (key.asymmetricKeyType !== 'rsa' || bits < 1024 || bits > 4096) throw expected
    return value
  } catch {
    throw expected
  }
}

function networks(value: string): readonly string[] {
  const parts = value.split(',').map((part) => part.trim())
  if (!parts.every((part) => /^[0-9a-fA-F.:]+(\/[0-9]{1,3})?$/.test(part))) {
    throw new NotUnderstood('networks like 10.0.0.0/8, comma separated')
  }
  return parts
}
