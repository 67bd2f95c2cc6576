import { type TProperties, type TSchema, Type } from 'typebox'

/** The small words the record's schema is written in. */

export const Tekst = Type.String()
/** How many. */
export const Antall = Type.Integer({ minimum: 0 })
export const Dato = Type.String({ format: 'date', description: 'ÅÅÅÅ-MM-DD' })
export const Tidspunkt = Type.String({ format: 'date-time', description: 'ISO 8601, UTC' })
/** As exact as the register has it. */
export const DatoEllerTidspunkt = Type.Union(
  [
    Type.String({ format: 'date', description: 'ÅÅÅÅ-MM-DD' }),
    Type.String({ format: 'date-time', description: 'ISO 8601 med tidssone.' }),
  ],
  { description: 'ISO 8601: en dato, eller et tidspunkt med tidssone.' },
)

/**
 * An object of exactly these properties, all of them always there. The published schema does not forbid others: more come,
 * and a client that refuses what it does not know would break by it.
 */
export const exactly = <P extends TProperties>(properties: P, options: { description?: string } = {}) =>
  Type.Object(properties, options)

/** null says: the register does not state it. It never says zero, none or no. */
export const orNull = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()])

/** Somebody who holds a role or may sign. */
export const PersonId = orNull(
  Type.String({
    description:
      'Samme person har samme id i hele tjenesten, kjent på navn og fødselsdato. null: en av dem mangler, eller id-ene er ikke tilgjengelige nå.',
  }),
)

export const oneOf = <const Words extends readonly string[]>(words: Words, description?: string) =>
  // The words one by one: without them their type is any text.
  Type.Enum<[...Words]>([...words], description === undefined ? {} : { description })

/** A code of a register's own code list with the register's own words for it. Lists are open: new codes come. */
export const Kode = exactly({ kode: Tekst, beskrivelse: orNull(Tekst) })
