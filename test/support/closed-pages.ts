import { systemClock } from '#src/core/clock.ts'
import type { Front } from '#src/front/app.ts'
import { createSamples } from '#src/wiring/samples.ts'

/** The pages of a service that sells nothing: what is not asked for is not there. */
export function closedPages(changes: Partial<Front['pages']['sales']> = {}): Front['pages'] {
  return {
    sales: {
      offer: () => null,
      placeOrder: nobody,
      orderAgain: nobody,
      readOrder: async () => null,
      giveOtherAddress: nobody,
      requestReplacement: async () => {},
      requestTestKey: async () => {},
      readReplacement: async () => ({ utfall: 'ugyldig_lenke' }),
      confirmReplacement: async () => ({ utfall: 'ugyldig_lenke' }),
      readRenewal: async () => null,
      renew: nobody,
      noteWebhook: nobody,
      ...changes,
    },
    webhooks: null,
    samples: createSamples({ clock: systemClock }),
    seller: null,
    contact: 'hjelp@oppslag.example',
    paymentOrigins: [],
  }
}

/** Nobody has a session. */
export const noSessions: Front['sessions'] = {
  begin: nobody,
  who: async () => null,
  end: async () => {},
  rightLately: () => null,
}

/** Nobody has a key to make others beside. */
export const noNamedKeys: Front['namedKeys'] = {
  inUseMax: 10,
  list: async () => null,
  make: nobody,
  rename: nobody,
  end: nobody,
}

/** Nobody hands in a list. */
export const noBatches: Front['batches'] = {
  place: nobody,
  find: async () => null,
  cancel: async () => false,
  // biome-ignore lint/correctness/useYield: there are none
  async *lines() {
    throw new Error('nobody hands in lists here')
  },
}

/** Nobody watches anything. */
export const noChanges: Front['changes'] = {
  log: { read: nobody, latest: nobody, ofCompany: nobody, tellable: (changes) => [...changes] },
  watches: {
    tellable: (watches) => [...watches],
    ownerOf: nobody,
    put: nobody,
    remove: nobody,
    find: async () => null,
    list: nobody,
    canBeMailed: async () => false,
    coverage: async () => [],
    lookedAtBy: async () => null,
  },
  giveUp: () => {},
  watcherOf: async () => ({ eier: 'ingen', prove: false }),
  namesOf: async () => new Map(),
  stopping: { isLink: async () => false, stop: async () => false },
}

/** Whoever asks it of a company is told that there is a crowd. */
export const crowdedReader = {
  atHand: () => null,
  shared: () => null,
  read: nobody,
  readPart: async () => ({ outcome: 'crowded' as const, isOwn: false, forced: null }),
  waiting: () => 0,
}

export const noPush: Front['push'] = {
  endpoints: {
    list: nobody,
    find: nobody,
    add: nobody,
    change: nobody,
    remove: nobody,
    renewSecret: nobody,
    test: nobody,
    deliveries: nobody,
    delivery: nobody,
    sendAgain: nobody,
  },
  ownerOf: nobody,
}

async function nobody(): Promise<never> {
  throw new Error('nobody sells here')
}
