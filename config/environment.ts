import { choice } from './environment/kinds.ts'
import { type MailSettings, mailSettings, mailVariables } from './environment/mail.ts'
import { type RegisterSettings, registerSettings, registerVariables } from './environment/registers.ts'
import { type SaleTerms, saleTerms, saleVariables } from './environment/sale.ts'
import { type ServiceSettings, serviceSettings, serviceVariables } from './environment/service.ts'
import { type StoreSettings, storeSettings, storeVariables } from './environment/stores.ts'
import { type Given, valuesOf } from './environment/variable.ts'
import { type VippsAccess, vippsAccess, vippsVariables } from './environment/vipps.ts'
import { type WatchingSettings, watchingSettings, watchingVariables } from './environment/watching.ts'

/**
 * Every environment variable the service reads, subject by subject: its meaning, its default and how its text is understood.
 * Read once at a door, then handed on as values; nothing else looks at the process environment.
 * Each may also be given as a file: `NAME_FILE` is then the file's path.
 * `config/example.env` is written from this table (`npm run -s example-env`), and a test holds them together.
 */
export const variables = {
  ...serviceVariables,
  ...storeVariables,
  ...registerVariables,
  ...vippsVariables,
  ...saleVariables,
  ...mailVariables,
  MILJO: {
    meaning:
      'live or test: the kind of key this service lets in, and makes when not told otherwise. Keys of the other kind are refused.',
    standard: 'live',
    read: choice('live', 'test'),
  },
  ...watchingVariables,
} as const

export type Environment = ServiceSettings &
  StoreSettings &
  RegisterSettings &
  WatchingSettings & {
    /** null: the sale is closed. */
    readonly vipps: VippsAccess | null
    /** null: nothing is sold. */
    readonly sale: SaleTerms | null
    readonly mail: MailSettings
    readonly miljo: 'live' | 'test'
  }

/**
 * Reads the environment once.
 *
 * @throws ConfigurationError one line: the variable, what was found and what was expected. Addresses are not repeated
 *   back, since they may hold a password.
 */
export function readEnvironment(env: Given): Environment {
  return {
    ...serviceSettings(env),
    ...storeSettings(env),
    ...registerSettings(env),
    vipps: vippsAccess(env),
    sale: saleTerms(env),
    mail: mailSettings(env),
    miljo: valuesOf(variables, env)('MILJO'),
    ...watchingSettings(env),
  }
}
