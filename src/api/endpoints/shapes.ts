import { Type } from 'typebox'
import { policy } from '#config/policy.ts'
import { Endring } from '#src/changes/change.ts'
import { sendFailures } from '#src/push/send.ts'
import { exactly, orNull, Tidspunkt } from '#src/record/shape.ts'

/** Endpoints, what was sent to them and what may be asked for, as they are documented. */
const Adresse = Type.String({
  maxLength: 1000,
  description: 'https, port 443 eller 8443, med et navn som alle kan nå.',
})
const Typer = Type.Array(Type.String({ maxLength: 100 }), {
  maxItems: policy.push.typesMax,
  description: 'Endringstypene som sendes, hele eller bare begynnelsen. null: alle som overvåkes.',
})

export const Avslatt = exactly({
  fra: Tidspunkt,
  grunn: Type.Enum(['eier', 'borte', 'feilet', 'hviler'], {
    description:
      'borte: mottakeren svarte 410. feilet: ingenting er tatt imot på 76 timer. hviler: ingen gyldig nøkkel.',
  }),
})

export const Endepunkt = exactly({
  id: Type.String({ description: 'Endepunktets navn.' }),
  adresse: Adresse,
  typer: orNull(Typer),
  opprettet: Tidspunkt,
  avslatt: orNull(Avslatt),
  feiletFra: orNull(Tidspunkt),
  sistLevert: orNull(Tidspunkt),
  toHemmeligheterTil: orNull(Tidspunkt),
  venter: Type.Integer({ minimum: 0, description: 'Meldinger som ikke er levert ennå.' }),
})

export const Endepunkter = exactly({ endepunkter: Type.Array(Endepunkt) })

export const NyttEndepunkt = exactly({
  endepunkt: Endepunkt,
  hemmelighet: Type.String({
    description: 'Det meldingene signeres med (Standard Webhooks). Vises her og aldri igjen.',
  }),
})

export const Leveringsforsok = exactly({
  tidspunkt: Tidspunkt,
  ms: Type.Integer({ minimum: 0, description: 'Fra begynnelsen til svarets hode.' }),
  status: orNull(Type.Integer({ description: 'Mottakerens status. null: det kom ikke noe svar.' })),
  arsak: orNull(Type.Enum(sendFailures, { description: 'Hvorfor det ikke var levert. null: det var det.' })),
})

export const Levering = exactly({
  id: Type.String({ description: 'Leveringens navn.' }),
  hendelse: Type.String({ description: 'webhook-id: det samme i hvert forsøk, og i endringsloggen.' }),
  type: Type.String({ description: 'Hva slags endring; prove for en prøve.' }),
  organisasjonsnummer: orNull(Type.String()),
  leveringstilstand: Type.Enum(['venter', 'levert', 'oppgitt']),
  opprettet: Tidspunkt,
  nesteForsok: orNull(Tidspunkt),
  ferdig: orNull(Tidspunkt),
  forsok: Type.Array(Leveringsforsok, { description: 'De siste tjue, det nyeste til sist.' }),
})

export const Leveringer = exactly({
  leveringer: Type.Array(Levering),
  neste: orNull(Type.String({ description: 'Verdien av etter for neste side; null på den siste.' })),
})

export const Leveringsinnhold = exactly({ levering: Levering, endring: orNull(Endring) })
export const SendtIgjen = exactly({
  antall: Type.Integer({ minimum: 0, description: 'Meldinger som sendes igjen.' }),
})

export const Endepunktsonske = Type.Object({ adresse: Adresse, typer: Type.Optional(orNull(Typer)) })
export const Endepunktsendring = Type.Object({
  ...Endepunktsonske.properties,
  paa: Type.Optional(
    Type.Boolean({ description: 'false: ingenting sendes dit, og det som venter, oppgis.' }),
  ),
})
const Moment = Type.String({ format: 'date-time', maxLength: 40 })
export const Igjenonske = Type.Object({
  levering: Type.Optional(Type.String({ maxLength: 20, description: 'Én levering.' })),
  fra: Type.Optional(Moment),
  til: Type.Optional(Moment),
})
