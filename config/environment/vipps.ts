import { NotUnderstood, unlessEmpty, webAddress } from './kinds.ts'
import { allOrNone, type Given, valuesOf } from './variable.ts'

/** Access to Vipps. */
export const vippsVariables = {
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
    read: unlessEmpty(secret),
  },
  VIPPS_CLIENT_SECRET: {
    meaning: 'Of the sales unit.',
    standard: '',
    read: unlessEmpty(secret),
  },
  VIPPS_SUBSCRIPTION_KEY: {
    meaning: 'Ocp-Apim-Subscription-Key, primary or secondary: one is renewed while the other is in use.',
    standard: '',
    read: unlessEmpty(secret),
  },
  VIPPS_MSN: {
    meaning: 'Merchant serial number of the sales unit.',
    standard: '',
    read: unlessEmpty(merchantSerialNumber),
  },
} as const

/** What it takes to be paid. */
export type VippsAccess = {
  /** Without a trailing slash. */
  readonly url: string
  readonly clientId: string
  readonly clientSecret: string
  readonly subscriptionKey: string
  readonly merchantSerialNumber: string
}

/**
 * Half of it is a mistake, and found out now rather than by the first buyer.
 *
 * @returns null when there is none: the sale is closed
 */
export function vippsAccess(env: Given): VippsAccess | null {
  const value = valuesOf(vippsVariables, env)
  const url = value('VIPPS_URL')
  const access = allOrNone(
    {
      VIPPS_CLIENT_ID: value('VIPPS_CLIENT_ID'),
      VIPPS_CLIENT_SECRET: value('VIPPS_CLIENT_SECRET'),
      VIPPS_SUBSCRIPTION_KEY: value('VIPPS_SUBSCRIPTION_KEY'),
      VIPPS_MSN: value('VIPPS_MSN'),
    },
    'since other variables of Vipps are set. (All are set, or none.)',
  )
  if (access === null) return null
  return {
    url,
    clientId: access.VIPPS_CLIENT_ID,
    clientSecret: access.VIPPS_CLIENT_SECRET,
    subscriptionKey: access.VIPPS_SUBSCRIPTION_KEY,
    merchantSerialNumber: access.VIPPS_MSN,
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
