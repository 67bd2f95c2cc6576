import { type Static, Type } from 'typebox'
import { MuligSammePerson } from './same-person.ts'
import { foretakProperties } from './sections/foretak.ts'
import { type SectionFacts, type SectionName, type ShapeOf, type ShownName, sections } from './sections.ts'
import { exactly, orNull, Tekst } from './shape.ts'
import { Kilde, section } from './state.ts'

/** The parent's number stands beside its state: it is known though the parent's own answer could not be had. */
const besides = { overordnetEnhet: { organisasjonsnummer: orNull(Tekst) } }

/**
 * The promised shape of one company, and the only place it is written: types, the validation in tests and the OpenAPI
 * document all derive from it.
 */
export const Bedrift = exactly(
  {
    ...foretakProperties,
    komplett: Type.Boolean({ description: 'false når minst én seksjon er utilgjengelig i dette svaret.' }),
    ...shownSections(),
    muligSammePerson: orNull(MuligSammePerson),
    kilder: exactly(
      Object.fromEntries(sections.map(({ name }) => [name, Kilde])) as Record<SectionName, typeof Kilde>,
    ),
  },
  { description: 'Ett foretak, samlet. data i en seksjon finnes bare når tilstand er fersk eller utdatert.' },
)
export type Bedrift = Static<typeof Bedrift>

type SectionShape<Name extends ShownName> = ReturnType<
  typeof section<
    ShapeOf<Name>,
    Name extends keyof typeof besides ? (typeof besides)[Name] : Record<never, never>
  >
>

function shownSections() {
  const shown = sections
    .filter(isShown)
    .map(({ name, shape, description }) => [
      name,
      section(shape, description, name === 'overordnetEnhet' ? besides[name] : {}),
    ])
  return Object.fromEntries(shown) as { [Name in ShownName]: SectionShape<Name> }
}

/** Whether it has a part of the record to itself. */
export function isShown({ shape }: SectionFacts): boolean {
  return !Type.IsNull(shape)
}
