import type { Static } from 'typebox'
import { nineDigits } from '#src/core/organisation-number.ts'
import type { ChangeDelivery, Endpoint } from '#src/push/endpoints.ts'
import { webhookId } from '#src/push/message.ts'
import { sendFailures } from '#src/push/send.ts'
import type { Endepunkt, Levering } from './shapes.ts'

/** An endpoint as its owner is told of it. */
export function toldEndpoint(endpoint: Endpoint): Static<typeof Endepunkt> {
  const { id, adresse, typer, opprettet, av, feiletFra, levert, forrigeTil, venter } = endpoint
  return {
    id,
    adresse,
    typer,
    opprettet: opprettet.toISOString(),
    avslatt: av === null ? null : { fra: av.at.toISOString(), grunn: av.grunn },
    feiletFra: feiletFra?.toISOString() ?? null,
    sistLevert: levert?.toISOString() ?? null,
    toHemmeligheterTil: forrigeTil?.toISOString() ?? null,
    venter,
  }
}

/** What was sent to one, and what came of it. */
export function toldDelivery(delivery: ChangeDelivery): Static<typeof Levering> {
  const { id, endring, type, orgnr, tilstand, laget, neste, ferdig, logg } = delivery
  return {
    id,
    hendelse: webhookId(endring, id),
    type,
    organisasjonsnummer: orgnr === null ? null : nineDigits(orgnr),
    leveringstilstand: tilstand,
    opprettet: laget.toISOString(),
    nesteForsok: neste?.toISOString() ?? null,
    ferdig: ferdig?.toISOString() ?? null,
    forsok: logg.map(({ tid, ms, status, arsak }) => ({
      tidspunkt: new Date(tid).toISOString(),
      ms,
      status,
      // One of another release is shown as that there was none.
      arsak: sendFailures.find((each) => each === arsak) ?? null,
    })),
  }
}
