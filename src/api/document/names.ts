import { type TSchema, Type } from 'typebox'
import { Endring, Endringshendelse, Endringstid, Feltendring, Skyhendelse } from '#src/changes/change.ts'
import { Historikk, Historikkperiode } from '#src/changes/history.ts'
import {
  Eid,
  Eier,
  Eierforhold,
  EierI,
  Eierskap,
  Mellomledd,
  Nedover,
  Oppover,
  Part,
} from '#src/record/eierskap/eierskap.ts'
import { Bedrift } from '#src/record/record.ts'
import { MuligSammePerson } from '#src/record/same-person.ts'
import { Adresse, Adresser } from '#src/record/sections/adresser.ts'
import { Aksjeboktall, Aksjonaer, hvem } from '#src/record/sections/aksjonaer.ts'
import { Endringer } from '#src/record/sections/aksjonaerendringer.ts'
import { Aksjonaerer } from '#src/record/sections/aksjonaerer.ts'
import { Aar as Aksjonaeraar, Leveranse } from '#src/record/sections/aksjonaerhistorikk.ts'
import { AntallAnsatte } from '#src/record/sections/foretak.ts'
import { Fullmakt } from '#src/record/sections/fullmakt.ts'
import { Kunngjoringer } from '#src/record/sections/kunngjoringer.ts'
import { Naering, Sn2007 } from '#src/record/sections/naering.ts'
import { OverordnetEnhet } from '#src/record/sections/overordnet-enhet.ts'
import { Forholdstall } from '#src/record/sections/regnskap/forholdstall.ts'
import { AndreTall, Nokkeltall } from '#src/record/sections/regnskap/nokkeltall.ts'
import { Aarsregnskap, Regnskap } from '#src/record/sections/regnskap.ts'
import { Rolle, Rolleinnehaver, Roller } from '#src/record/sections/roller.ts'
import { Foretakstilstand, Status } from '#src/record/sections/status.ts'
import { sections } from '#src/record/sections.ts'
import { DatoEllerTidspunkt, Kode, PersonId } from '#src/record/shape.ts'
import { Aksjonaerside } from '#src/record/share-reader.ts'
import { Arsak, Avvik, Kilde, KildeId, Tilstand } from '#src/record/state.ts'
import { Finn, Forslag, Sok } from '#src/search/answer.ts'
import {
  Avslatt,
  Endepunkt,
  Endepunkter,
  Endepunktsendring,
  Endepunktsonske,
  Igjenonske,
  Levering,
  Leveringer,
  Leveringsforsok,
  Leveringsinnhold,
  NyttEndepunkt,
  SendtIgjen,
} from '../endpoints/shapes.ts'
import { Bestilling } from '../many/batch.ts'
import { Endringslinje, Endringsside, Foretaksendringer } from '../routes/endringer.ts'
import { Linje } from '../routes/oppslag.ts'
import { NokkelStatus, ProblemSchema } from '../schemas.ts'
import {
  Overvaking,
  Overvakinger,
  Overvakingskilde,
  Overvakingslinje,
  Overvakingsonske,
} from '../watches/shapes.ts'

/**
 * The shapes that have a name of their own in the published document. Wherever one of them stands in an answer, the document
 * refers to it; a name is a promise, since a client's types are called by it.
 */
const ownNames: Record<string, TSchema> = {
  Bedrift,
  Tilstand,
  KildeId,
  DatoEllerTidspunkt,
  PersonId: inner(PersonId),
  Avvik,
  Kode,
  Kilde,
  Arsak,
  AntallAnsatte,
  Kapital: inner(Bedrift.properties.kapital),
  Adresse,
  Kommune: inner(Adresse.properties.kommune),
  Adresser,
  OverordnetEnhet,
  Foretakstilstand,
  Status,
  Forhold: inner(Status.properties.konkurs),
  Roller,
  Rolle,
  ...byType(Rolleinnehaver),
  Rolleinnehaver,
  Fullmakt,
  Person: inner(Fullmakt.properties.personer),
  Kombinasjon: inner(Fullmakt.properties.kombinasjoner),
  Naering,
  Sn2007,
  Regnskap,
  Regnskapsaar: inner(Regnskap.properties.aar),
  Aarsregnskap,
  ErstattetRegnskap: inner(Regnskap.properties.erstattet),
  Regnskapsperiode: inner(inner(Regnskap.properties.aar).properties?.periode),
  Regnskapsarkiv: inner(Aarsregnskap.properties.arkiv),
  Nokkeltall,
  Regnskapstall: inner(Nokkeltall.properties.aarsresultat),
  AndreTall,
  Forholdstall,
  Rentabilitet: inner(Forholdstall.properties.totalrentabilitet),
  Kunngjoringer,
  Kunngjoring: inner(Kunngjoringer.properties.kunngjoringer),
  Aksjonaerer,
  Aksjonaer,
  AksjonaerId: inner(hvem.aksjonaerId),
  Innehavertype: hvem.type,
  Aksjeavvik: Aksjeboktall.avvik,
  AksjerTotalt: inner(Aksjeboktall.aksjerTotalt),
  Aksjonaerside,
  Aksjonaeraar,
  TidligereAksjonaer: inner(Aksjonaeraar.properties.storste),
  Leveranse,
  Aksjeendringer: Endringer,
  AksjeendringerEnVei: inner(Endringer.properties.inn),
  Aksjeendring: inner(inner(Endringer.properties.inn).properties?.navngitte),
  Eierskap,
  Eiere: Oppover,
  Eier,
  Mellomledd,
  Eierforhold,
  Part,
  Foretaksreferanse: inner(Eierforhold.properties.eid),
  Eierledd: inner(Oppover.properties.ledd),
  Kontrollkjede: inner(Oppover.properties.kontrollkjede),
  Eide: Nedover,
  Eid,
  EierI,
  MuligSammePerson: inner(MuligSammePerson),
  Visshet: Sok.properties.visshet,
  Sokegrunnlag: Sok.properties.grunnlag,
  Sokeavbrudd: Sok.properties.avbrutt,
  Indeks: inner(Sok.properties.indeks),
  Sokekilde: Sok.properties.kilde,
  Sok,
  Forslag,
  Finn,
  Treff: inner(Sok.properties.treff),
  Treffgrunn: inner(inner(Sok.properties.treff).properties?.hvorfor),
  Linje,
  Foretakslinje: Linje.anyOf[0],
  Feillinje: Linje.anyOf[1],
  Sluttlinje: Linje.anyOf[2],
  Oppsummering: inner(Linje.anyOf[2].properties.oppsummering),
  Bestilling,
  Bestillingsfremdrift: Bestilling.properties.fremdrift,
  Endring,
  Feltendring,
  Endringshendelse,
  Endringstid,
  Endringsside,
  Endringslinje,
  Endringsslutt: Endringslinje.anyOf[1],
  Endringssum: Endringslinje.anyOf[1].properties.oppsummering,
  Foretaksendringer,
  Historikk,
  Historikkperiode,
  Skyhendelse,
  Overvaking,
  Overvakingskilde,
  Overvakinger,
  Overvakingsonske,
  Overvakingslinje,
  Overvakingsutfall: Overvakingslinje.anyOf[0],
  Overvakingsfeil: Overvakingslinje.anyOf[1],
  Overvakingsslutt: Overvakingslinje.anyOf[2],
  Overvakingssum: Overvakingslinje.anyOf[2].properties.oppsummering,
  Endepunkt,
  EndepunktAvslatt: Avslatt,
  Endepunkter,
  Endepunktsonske,
  Endepunktsendring,
  NyttEndepunkt,
  Levering,
  Leveringsforsok,
  Leveringer,
  Leveringsinnhold,
  Igjenonske,
  SendtIgjen,
  NokkelStatus,
  Problem: ProblemSchema,
  ...Object.assign({}, ...sections.map(({ names }) => names)),
}

/** A section whose shape has no other name is called by its own. */
const sectionShapes = sections
  .filter(({ shape }) => !Type.IsNull(shape) && !Object.values(ownNames).includes(shape))
  .map(({ name, shape }) => [name.slice(0, 1).toUpperCase() + name.slice(1), shape])

export const named: Record<string, TSchema> = { ...ownNames, ...Object.fromEntries(sectionShapes) }

type Shape = TSchema & { properties?: Record<string, TSchema> }

/** What a list is of, and what may be null when it is not. */
function inner(schema: TSchema | undefined): Shape {
  if (schema === undefined) throw new Error('a shape that is named is not there')
  if (Type.IsArray(schema)) return inner(schema.items)
  if (Type.IsUnion(schema) && Type.IsNull(schema.anyOf[1] ?? {})) return inner(schema.anyOf[0])
  return schema
}

/** One of several shapes, each called by what its `type` says. */
function byType(union: { anyOf: readonly TSchema[] }): Record<string, TSchema> {
  return Object.fromEntries(
    union.anyOf.map((shape) => {
      const type = String((inner(shape).properties?.type as { const?: string } | undefined)?.const)
      return [`Rolleinnehaver${type.charAt(0).toUpperCase()}${type.slice(1)}`, shape]
    }),
  )
}
