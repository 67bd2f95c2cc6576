import { type Static, Type } from 'typebox'
import { exactly } from '#src/record/shape.ts'
import type { Batch } from '#src/storage/batches.ts'

export const LISTS = '/api/bestillinger'

/** A list that was handed in, as it stands (P109). */
export const Bestilling = exactly({
  id: Type.String({ description: 'Bestillingens navn, 32 tegn.' }),
  fremdrift: Type.Enum(['venter', 'arbeider', 'ferdig'], {
    description: 'venter: nøkkelens tur er ikke kommet. ferdig: resultatet kan hentes.',
  }),
  linjer: Type.Integer({ minimum: 1, description: 'Numre i listen, hvert én gang.' }),
  dubletter: Type.Integer({ minimum: 0 }),
  behandlet: Type.Integer({ minimum: 0, description: 'Linjer som er gått gjennom så langt.' }),
  foretak: Type.Integer({ minimum: 0, description: 'Av dem: foretak som ble funnet.' }),
  feil: Type.Integer({ minimum: 0, description: 'Av dem: linjer som har et problem i stedet.' }),
  ufullstendige: Type.Integer({
    minimum: 0,
    description: 'Av dem: foretak der noe manglet. Det spørres om igjen når resultatet hentes.',
  }),
  felt: Type.Union([Type.Array(Type.String()), Type.Null()], { description: 'null: alle felter.' }),
  mottatt: Type.String({ format: 'date-time' }),
  begynt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  ferdig: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  slettes: Type.String({ format: 'date-time', description: 'Da er listen borte, og resultatet med den.' }),
  resultat: Type.Union([Type.String(), Type.Null()], {
    description: 'Adressen resultatet hentes fra; null til det er ferdig.',
  }),
})

/** As its holder is told of it. */
export function bestillingOf(batch: Batch): Static<typeof Bestilling> {
  const { id, linjer, dubletter, done, foretak, feil, ufullstendige, felt } = batch
  return {
    id,
    fremdrift: batch.ferdig !== null ? 'ferdig' : batch.begynt === null ? 'venter' : 'arbeider',
    linjer,
    dubletter,
    behandlet: done,
    foretak,
    feil,
    ufullstendige,
    felt,
    mottatt: batch.mottatt.toISOString(),
    begynt: batch.begynt?.toISOString() ?? null,
    ferdig: batch.ferdig?.toISOString() ?? null,
    slettes: batch.slettes.toISOString(),
    resultat: batch.ferdig === null ? null : `${addressOf(batch)}/resultat`,
  }
}

/** Under which the list is followed, taken home and taken back. */
export function addressOf({ id }: Pick<Batch, 'id'>): string {
  return `${LISTS}/${id}`
}
