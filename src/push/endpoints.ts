import { endringOf, tellsOfErased } from '#src/changes/change.ts'
import { InputError } from '#src/core/errors.ts'
import { nineDigits } from '#src/core/organisation-number.ts'
import { createTurns } from '#src/core/turns.ts'
import { type Database, NoStorageTurnError } from '#src/storage/database.ts'
import { takeAllowance } from '#src/storage/push/allowance.ts'
import {
  type ChangeDelivery,
  type DeliveryState,
  findDelivery,
  listChangeDeliveries,
  putTestDelivery,
  sendAgain,
  sendSpanAgain,
} from '#src/storage/push/deliveries.ts'
import {
  changeEndpoint,
  deleteEndpoint,
  type Endpoint,
  type EndpointOwner,
  findEndpoint,
  insertEndpoint,
  listEndpoints,
  renewSecret,
} from '#src/storage/push/endpoints.ts'
import { addressFaults, readEndpointAddress } from './endpoint-address.ts'
import { TEST_TYPE } from './message.ts'
import { endpointSecret } from './secrets.ts'
import { writtenSecret } from './signature.ts'

export type { ChangeDelivery, DeliveryState } from '#src/storage/push/deliveries.ts'
export type { Endpoint, EndpointOwner } from '#src/storage/push/endpoints.ts'

export type EndpointWish = { adresse: string; typer: readonly string[] | null }

export type Endpoints = ReturnType<typeof createEndpoints>

/**
 * What a holder of a key does with the addresses that changes are sent to. They are the owner's, as what is watched is: whichever
 * key of a chain asks, and the next year's (P127). A secret is told when it is made and never again.
 */
export function createEndpoints({
  db,
  isErased,
  installationSecret,
  named,
  ring,
  policy,
}: {
  db: Database
  /** Known here at once; where the deliveries are, when the erasure has come to them. */
  isErased: (orgnr: string) => boolean
  installationSecret: () => Promise<Uint8Array>
  /** Origins the operator has named. */
  named: readonly string[]
  /** There is something to send there: a wish, which may be lost. */
  ring: (endpoint: string) => void
  policy: {
    endpointsOfOwner: number
    endpointsOfTestKey: number
    endpointsOfTests: number
    bothSecretsMs: number
    testsPerHour: number
    againMost: number
    againPerHour: number
    againAtOnce: number
    againWaitingMax: number
    againWaitMs: number
  }
}) {
  const spans = createTurns({
    atOnce: policy.againAtOnce,
    atOnceForOne: 1,
    waitingMax: policy.againWaitingMax,
  })

  /** @throws NoStorageTurnError when its turn has not come in time */
  async function inTurn<T>(eier: string, work: () => Promise<T>): Promise<T> {
    const done = await spans.runWithin(policy.againWaitMs, { of: eier, rank: 0 }, work)
    if (!done.hadTurn) throw new NoStorageTurnError(done.cause, done)
    return done.value
  }

  const secretOf = async (salt: Buffer) => writtenSecret(endpointSecret(await installationSecret(), salt))

  /** @throws InputError `ugyldig_parameter` */
  function addressOf(text: string): string {
    const read = readEndpointAddress(text, named)
    if ('fault' in read) throw new InputError('ugyldig_parameter', 'adresse', addressFaults[read.fault])
    return read.address
  }

  async function own(eier: string, id: string): Promise<Endpoint | null> {
    return ENDPOINT_ID.test(id) ? findEndpoint(db, eier, id) : null
  }

  const isTellable = ({ orgnr }: ChangeDelivery) => orgnr === null || !isErased(nineDigits(orgnr))

  return {
    list: ({ eier }: EndpointOwner): Promise<Endpoint[]> => listEndpoints(db, eier),
    find: ({ eier }: EndpointOwner, id: string): Promise<Endpoint | null> => own(eier, id),

    /** @throws InputError when nothing may be sent to such an address */
    async add(
      owner: EndpointOwner,
      { adresse, typer }: EndpointWish,
    ): Promise<{ endpoint: Endpoint; secret: string } | { full: true }> {
      const address = addressOf(adresse)
      const { endpointsOfOwner, endpointsOfTestKey, endpointsOfTests: ofTests } = policy
      const ofOwner = owner.prove ? endpointsOfTestKey : endpointsOfOwner
      const placed = await insertEndpoint(db, owner, { adresse: address, typer }, { ofOwner, ofTests })
      if ('full' in placed) return placed
      return { endpoint: placed.endpoint, secret: await secretOf(placed.salt) }
    },

    /** @returns null: there is no such endpoint */
    async change(
      { eier, nokkel: by }: EndpointOwner,
      id: string,
      { adresse, typer, isOn }: EndpointWish & { isOn: boolean },
    ): Promise<Endpoint | null> {
      const address = addressOf(adresse)
      return ENDPOINT_ID.test(id) ? changeEndpoint(db, eier, id, { adresse: address, typer, isOn, by }) : null
    },

    remove: async ({ eier }: EndpointOwner, id: string): Promise<boolean> =>
      ENDPOINT_ID.test(id) && deleteEndpoint(db, eier, id),

    /** From now on signed with this one, and for a while with the one before as well. */
    async renewSecret({ eier, nokkel: by }: EndpointOwner, id: string) {
      const renewed = ENDPOINT_ID.test(id)
        ? await renewSecret(db, eier, id, { bothForMs: policy.bothSecretsMs, by })
        : null
      return renewed && { endpoint: renewed.endpoint, secret: await secretOf(renewed.salt) }
    },

    /** @returns `full`: its owner has sent so many in an hour; `off`: nothing is sent there; null: no such endpoint */
    async test({ eier }: EndpointOwner, id: string): Promise<ChangeDelivery | 'full' | 'off' | null> {
      const endpoint = await own(eier, id)
      if (endpoint === null) return null
      if (endpoint.av !== null) return 'off'
      const room = { count: 1, perHourMax: policy.testsPerHour }
      if (!(await takeAllowance(db, id, 'prover', room))) return 'full'
      const put = await putTestDelivery(db, id, TEST_TYPE)
      if (put !== null) ring(id)
      return put
    },

    /** Of who was removed none is told of. `next`: what the next page is below, null on the last. */
    async deliveries(
      { eier }: EndpointOwner,
      id: string,
      wish: { below: string | null; tilstand: DeliveryState | null; size: number },
    ): Promise<{ deliveries: ChangeDelivery[]; next: string | null } | null> {
      if ((await own(eier, id)) === null) return null
      const { below, tilstand, size } = wish
      const found = await listChangeDeliveries(db, id, { below, tilstand, limit: size + 1 })
      const next = found.length > size ? (found[size - 1]?.id ?? null) : null
      return { deliveries: found.slice(0, size).filter(isTellable), next }
    },

    /** One, with what it says; `endring` is null of a test, and of a change that is kept no more. */
    async delivery({ eier }: EndpointOwner, id: string, delivery: string) {
      if (!DELIVERY_ID.test(delivery) || (await own(eier, id)) === null) return null
      const found = await findDelivery(db, id, delivery)
      if (found === null || !isTellable(found.delivery)) return null
      const { delivery: one, change } = found
      return {
        delivery: one,
        endring: change === null || tellsOfErased(change, isErased) ? null : endringOf(change),
      }
    },

    /** @returns how many are sent again; `full`: too long a span; `often`, `off` as above; null: no such endpoint or delivery */
    async sendAgain(
      { eier }: EndpointOwner,
      id: string,
      wish: { delivery: string } | { from: Date; to: Date },
    ): Promise<{ count: number } | 'full' | 'often' | 'off' | null> {
      const endpoint = await own(eier, id)
      if (endpoint === null) return null
      if (endpoint.av !== null) return 'off'
      const perHourMax = policy.againPerHour
      if ('delivery' in wish) {
        if (!(await takeAllowance(db, id, 'igjen', { count: 1, perHourMax }))) return 'often'
        if (!DELIVERY_ID.test(wish.delivery) || (await sendAgain(db, id, wish.delivery)) === null) return null
        ring(id)
        return { count: 1 }
      }
      const bounds = { most: policy.againMost, perHourMax }
      const sent = await inTurn(eier, () => sendSpanAgain(db, id, wish, bounds))
      if (typeof sent !== 'string' && sent.count > 0) ring(id)
      return sent
    },
  }
}

const ENDPOINT_ID = /^ep_[0-9A-Za-z]{20}$/
/** A bigint. */
const DELIVERY_ID = /^[1-9][0-9]{0,17}$/
