import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { readTypeFilter } from '#src/changes/type-filter.ts'
import { InputError } from '#src/core/errors.ts'
import { Endepunktsendring, Endepunktsonske, Igjenonske } from './shapes.ts'

type EndpointWish = { adresse: string; typer: string[] | null }

/** @throws InputError for what the document does not have; so do the others */
export function readNewEndpoint(body: unknown): EndpointWish {
  if (!forms.add.Check(body)) throw noWish()
  return wishOf(body)
}

export function readEndpointChange(body: unknown): EndpointWish & { isOn: boolean } {
  if (!forms.change.Check(body)) throw noWish()
  return { ...wishOf(body), isOn: body.paa ?? true }
}

/** One delivery, or all changes seen from one moment to another. */
export function readAgain(body: unknown): { delivery: string } | { from: Date; to: Date } {
  const wrong = () =>
    new InputError('ugyldig_parameter', 'body', {
      norsk: 'Send JSON med levering, eller med fra og til (ISO 8601 med sone), der fra er før til.',
      english: 'Send JSON with levering, or with fra and til (ISO 8601 with a zone), fra before til.',
    })
  if (!forms.again.Check(body)) throw wrong()
  const { levering, fra, til } = body
  if (levering !== undefined && fra === undefined && til === undefined) return { delivery: levering }
  if (levering !== undefined || fra === undefined || til === undefined) throw wrong()
  const [from, to] = [fra, til].map((text) => (MOMENT.test(text) ? new Date(text) : new Date(Number.NaN)))
  if (from === undefined || to === undefined || !(from.getTime() < to.getTime())) throw wrong()
  return { from, to }
}

function wishOf({ adresse, typer = null }: { adresse: string; typer?: string[] | null }): EndpointWish {
  return { adresse, typer: typer === null ? null : readTypeFilter(typer, 'typer') }
}

function noWish(): InputError {
  return new InputError('ugyldig_parameter', 'body', {
    norsk: `Send JSON med adresse (inntil 1000 tegn) og typer (en liste, kan utelates); når et endepunkt endres, også paa (true eller false).`,
    english: `Send JSON with adresse (up to 1000 characters) and typer (a list, may be left out); to change an endpoint, also paa (true or false).`,
  })
}

/** A word that is none of these is a slip, and would get another answer than was asked for. */
const forms = {
  add: Compile(Type.Object(Endepunktsonske.properties, { additionalProperties: false })),
  change: Compile(Type.Object(Endepunktsendring.properties, { additionalProperties: false })),
  again: Compile(
    Type.Object(
      {
        levering: Igjenonske.properties.levering,
        fra: Type.Optional(Type.String({ maxLength: 40 })),
        til: Type.Optional(Type.String({ maxLength: 40 })),
      },
      { additionalProperties: false },
    ),
  ),
}

const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/
