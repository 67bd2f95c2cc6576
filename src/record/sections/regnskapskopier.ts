import { type Static, Type } from 'typebox'
import type { About, RecordAnswers } from '../parts.ts'
import { exactly, oneOf, orNull, Tekst } from '../shape.ts'
import { answered, type Stated, same } from '../stated.ts'

/** The register's own address of each copy: official, and nothing of ours. */
const COPIES = 'https://data.brreg.no/regnskapsregisteret/regnskap/aarsregnskap/kopi'

export const Regnskapskopier = exactly({
  opplysning: oneOf(
    ['oppgitt', 'delvis', 'ikke_hentet'],
    'delvis: ett av årene kunne ikke leses. ikke_hentet: kilden tåler få spørsmål og er ikke spurt i dette svaret; spør om regnskapskopier for seg.',
  ),
  kopier: orNull(
    Type.Array(
      exactly({
        aar: Type.Integer(),
        lenke: Type.String({
          format: 'uri',
          description: 'PDF hos registeret. Den lages når den hentes, og det kan ta et halvt minutt.',
        }),
      }),
      {
        description:
          'År registeret har kopi av innsendt årsregnskap for, nyeste først. Ingen kopi hentes av tjenesten.',
      },
    ),
  ),
  sisteInnsendteAarsregnskap: orNull(Tekst),
})
export type Regnskapskopier = Static<typeof Regnskapskopier>

/**
 * The copies there are. Few may be asked for at a time: in a record whose turn does not come the section is as fresh as the
 * unit, and says that they were not fetched; who asks for the section alone is told that the budget is used up.
 */
export function regnskapskopierOf({
  regnskapskopier,
  unit,
  alone,
}: About & Pick<RecordAnswers, 'regnskapskopier'>): Stated<Regnskapskopier> {
  const { organisasjonsnummer } = unit.value
  const siste = 'sisteInnsendteAarsregnskap' in unit.value ? unit.value.sisteInnsendteAarsregnskap : null
  const besides = { sisteInnsendteAarsregnskap: siste ?? null }
  const isSpent = regnskapskopier.outcome === 'failed' && regnskapskopier.failure === 'budsjett_brukt'
  if (isSpent && alone !== 'regnskapskopier') {
    // Of one that has filed none the unit says enough.
    const hasNone =
      unit.value.respons_klasse === 'Enhet' && unit.value.sisteInnsendteAarsregnskap === undefined
    if (hasNone)
      return answered<never, never>({ outcome: 'absent', fetchedAt: unit.fetchedAt }, (none) => none)
    return same(unit, { opplysning: 'ikke_hentet', kopier: null, ...besides })
  }
  return answered(regnskapskopier, ({ aar, erAlle }) => ({
    opplysning: erAlle ? 'oppgitt' : 'delvis',
    kopier: aar.map((year) => ({ aar: year, lenke: `${COPIES}/${organisasjonsnummer}/${year}` })),
    ...besides,
  }))
}
