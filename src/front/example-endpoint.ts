import { publicTestKey } from '#src/access/public-test-key.ts'
import type { ValidKey } from '#src/access/verify.ts'
import { endringOf } from '#src/changes/change.ts'
import type { Clock } from '#src/core/clock.ts'
import { HOUR_MS } from '#src/core/units.ts'
import type { ChangeDelivery, Endpoint, EndpointOwner, Endpoints } from '#src/push/endpoints.ts'
import { LIVING } from '#src/samples/living.ts'
import { EXAMPLE_ENDPOINT } from '#src/samples/questions.ts'

/**
 * The endpoints of the public test key: one that is always there and always the same, so that every call of the documentation can be
 * made as it stands. It is stored nowhere, nothing is sent to it, and changing it changes nothing. Whoever wants one of their own needs a
 * test key of their own.
 */
function exampleEndpoints({ clock }: { clock: Clock }): Endpoints {
  const { id, delivery, adresse, typer, secret } = EXAMPLE_ENDPOINT
  const at = (agoMs: number) => new Date(clock.now().getTime() - agoMs)
  const endpoint = (): Endpoint => ({
    id,
    adresse,
    typer: [...typer],
    opprettet: at(2 * HOUR_MS),
    av: null,
    feiletFra: null,
    levert: at(HOUR_MS),
    forrigeTil: null,
    venter: 0,
  })
  const sent = (): ChangeDelivery => ({
    id: delivery,
    endring: { nr: 1, sett: at(HOUR_MS) },
    orgnr: Number(LIVING.bankruptAtNoon),
    type: 'foretak.konkurs.apnet',
    tilstand: 'levert',
    laget: at(HOUR_MS),
    forsok: 1,
    neste: null,
    ferdig: at(HOUR_MS),
    logg: [{ tid: at(HOUR_MS).toISOString(), ms: 81, status: 204, arsak: null }],
  })
  const isIt = (given: string) => given === id
  return {
    list: async () => [endpoint()],
    find: async (_, given) => (isIt(given) ? endpoint() : null),
    add: async (_, wish) => (wish.adresse === adresse ? { endpoint: endpoint(), secret } : { full: true }),
    change: async (_, given) => (isIt(given) ? endpoint() : null),
    remove: async (_, given) => isIt(given),
    renewSecret: async (_, given) =>
      isIt(given) ? { endpoint: { ...endpoint(), forrigeTil: at(-24 * HOUR_MS) }, secret } : null,
    test: async (_, given) => (isIt(given) ? sent() : null),
    deliveries: async (_, given) => (isIt(given) ? { deliveries: [sent()], next: null } : null),
    delivery: async (_, given, one) =>
      isIt(given) && one === delivery
        ? {
            delivery: sent(),
            endring: endringOf({
              nr: 1,
              orgnr: LIVING.bankruptAtNoon,
              seksjon: 'status',
              type: 'foretak.konkurs.apnet',
              felt: [{ felt: '/status/data/konkurs/gjelder', for: false, etter: true }],
              nevner: [],
              hendelse: null,
              forrige: at(2 * HOUR_MS),
              sett: at(HOUR_MS),
              prove: true,
              navn: null,
            }),
          }
        : null,
    sendAgain: async (_, given) => (isIt(given) ? { count: 1 } : null),
  }
}

/**
 * With everybody's test key there is the example; with one of one's own there are endpoints like any other's, sent what invented
 * companies change, until it ends.
 */
export function pushOfTestKeys({ push, clock }: { push: { endpoints: Endpoints }; clock: Clock }) {
  const example = exampleEndpoints({ clock })
  const isEverybodys = ({ id }: ValidKey) => id === publicTestKey.id
  return {
    endpointsFor: (key: ValidKey): Endpoints => (isEverybodys(key) ? example : push.endpoints),
    ownerOf: async ({ id, utloper }: ValidKey): Promise<EndpointOwner> => ({
      eier: id,
      prove: true,
      slutter: utloper,
      nokkel: null,
    }),
  }
}
