import type { MailData } from '#src/mail/templates/content-of.ts'
import type { Letterhead } from '#src/mail/templates/letterhead.ts'
import { key } from './parts.ts'

export const head: Letterhead = {
  name: 'Bedriftsoppslag',
  publicUrl: 'https://oppslag.selger.example',
  replaceUrl: 'https://oppslag.selger.example/bytt-nokkel',
  keysUrl: 'https://oppslag.selger.example/nokler',
  contact: 'hjelp@selger.example',
}

/** Half an hour into the next day in Norway. */
const expires = new Date('2027-11-21T23:30:00Z')
const token = 'Zk3vYw1-8Qp_2RtXc7LmB5nAq0sD4fGhJ6kE9uTiOyP'

/** One of each kind, and of each wording. */
export const letters = {
  bought: {
    kind: 'key',
    key,
    keyId: '0123456789Ab',
    miljo: 'live',
    expires,
    occasion: 'kjop',
    order: 'k7w2m9xq4t',
  },
  renewed: {
    kind: 'key',
    key,
    keyId: '0123456789Ab',
    miljo: 'live',
    expires,
    occasion: 'fornyelse',
    order: 'k7w2m9xq4t',
  },
  replaced: {
    kind: 'key',
    key,
    keyId: '0123456789Ab',
    miljo: 'live',
    expires,
    occasion: 'erstatning',
    order: 'k7w2m9xq4t',
  },
  inPlaceOfLeaked: {
    kind: 'key',
    key,
    keyId: '0123456789Ab',
    miljo: 'live',
    expires,
    occasion: 'erstatning',
    order: null,
    areEndpointsOff: true,
    watched: {
      newest: [
        { orgnr: '901012121', hva: 'tatt_bort', at: expires },
        { orgnr: '901012122', hva: 'lagt_til', at: expires },
      ],
      count: 3,
      isMore: false,
    },
  },
  issued: {
    kind: 'key',
    key,
    keyId: '0123456789Ab',
    miljo: 'test',
    expires,
    occasion: 'utstedt',
    order: null,
  },
  endpointOff: {
    kind: 'endpoint_off',
    endpoints: [
      { host: 'mottak.kjoper.example', since: expires, grunn: 'borte' },
      { host: 'annet.kjoper.example:8443', since: expires, grunn: 'feilet' },
    ],
    url: 'https://oppslag.selger.example/endepunkter',
  },
  creditNote: {
    kind: 'credit_note',
    to: 'kari.nordmann@kjoper.example',
    order: 'k7w2m9xq4t',
    number: 7,
    receiptNumber: 1042,
    date: new Date('2026-11-21T23:30:00Z'),
    product: 'API-nøkkel, ett år',
    english: { product: 'API key, one year', vatText: '25 % is included, NOK 299.90' },
    amountOre: 149_950,
    givenBackOre: 100_000,
    currency: 'NOK',
    paymentReference: 'bo-k7w2m9xq4t-1',
    seller: {
      name: 'Tindevåg Data AS',
      organisationNumber: '901012121MVA',
      address: 'Havnegata 1, 8300 Svolvær',
      vatText: '25 % er inkludert med 299,90 kr',
    },
  },
  receipt: {
    kind: 'receipt',
    to: 'kari.nordmann@kjoper.example',
    order: 'k7w2m9xq4t',
    receiptNumber: 1042,
    date: new Date('2026-11-21T23:30:00Z'),
    product: 'API-nøkkel, ett år',
    english: { product: 'API key, one year', vatText: '25 % is included, NOK 299.90' },
    amountOre: 149_950,
    currency: 'NOK',
    paymentReference: 'bo-k7w2m9xq4t-1',
    seller: {
      name: 'Tindevåg Data AS',
      organisationNumber: '901012121MVA',
      address: 'Havnegata 1, 8300 Svolvær',
      vatText: '25 % er inkludert med 299,90 kr',
    },
  },
  lost: {
    kind: 'replacement_link',
    keyId: '0123456789Ab',
    reason: 'tapt',
    url: `${head.publicUrl}/bytt-nokkel/${token}`,
    validUntil: expires,
  },
  leaked: {
    kind: 'replacement_link',
    keyId: '0123456789Ab',
    reason: 'lekket',
    url: `${head.publicUrl}/bytt-nokkel/${token}`,
    validUntil: expires,
  },
  sandbox: { kind: 'test_key', key, keyId: '0123456789Ab', expires },
  month: {
    kind: 'reminder',
    keyId: '0123456789Ab',
    daysLeft: 30,
    expires,
    url: `${head.publicUrl}/forny/${token}`,
  },
  tomorrow: {
    kind: 'reminder',
    keyId: '0123456789Ab',
    daysLeft: 1,
    expires,
    url: `${head.publicUrl}/forny/${token}`,
  },
  expired: {
    kind: 'reminder',
    keyId: '0123456789Ab',
    daysLeft: 0,
    expires,
    url: `${head.publicUrl}/forny/${token}`,
  },
  changed: {
    kind: 'changes',
    cadence: 'straks',
    companies: [
      {
        orgnr: '901012121',
        name: 'TINDEVÅG SJØMAT AS',
        changes: [{ nb: 'Konkurs er åpnet', en: 'Bankruptcy has been opened' }],
      },
    ],
    more: 0,
    listUrl: `${head.publicUrl}/overvaking`,
    stopUrl: `${head.publicUrl}/varsling/avslutt/k7w2m9xq4t.${token}`,
  },
  changedToday: {
    kind: 'changes',
    cadence: 'daglig',
    companies: [
      {
        orgnr: '901012121',
        name: 'TINDEVÅG SJØMAT AS',
        changes: [
          { nb: 'Konkurs er åpnet', en: 'Bankruptcy has been opened' },
          { nb: 'Styret er endret', en: 'The board has changed' },
        ],
      },
      { orgnr: '901023239', name: null, changes: [{ nb: 'Navnet er endret', en: 'The name has changed' }] },
    ],
    more: 12,
    listUrl: `${head.publicUrl}/overvaking`,
    stopUrl: `${head.publicUrl}/varsling/avslutt/k7w2m9xq4t.${token}`,
  },
} satisfies Record<string, MailData>
