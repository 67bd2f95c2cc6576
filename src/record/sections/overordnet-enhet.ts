import type { Static } from 'typebox'
import type { About } from '../parts.ts'
import { Dato, exactly, Kode, orNull, Tekst } from '../shape.ts'
import { answered, notFound, type Stated } from '../stated.ts'
import { Adresse, adresseOf } from './adresser.ts'
import { kodeOf } from './foretak.ts'
import { Foretakstilstand, statusOf } from './status.ts'

export const OverordnetEnhet = exactly({
  organisasjonsnummer: Tekst,
  navn: orNull(Tekst),
  organisasjonsform: orNull(Kode),
  slettedato: orNull(Dato),
  foretakstilstand: Foretakstilstand,
  forretningsadresse: orNull(Adresse),
})
export type OverordnetEnhet = Static<typeof OverordnetEnhet>

/** The unit that this one belongs to, as its own answer has it. */
export function overordnetEnhetOf({ unit, parent }: Pick<About, 'unit' | 'parent'>): Stated<OverordnetEnhet> {
  if (parent === null) return { ...notFound('ingen_overordnet_enhet'), hentet: unit.fetchedAt }
  return answered(parent.answer, (value) => ({
    organisasjonsnummer: value.organisasjonsnummer,
    navn: value.navn ?? null,
    organisasjonsform: kodeOf(value.organisasjonsform),
    slettedato: value.respons_klasse === 'SlettetEnhet' ? (value.slettedato ?? null) : null,
    foretakstilstand: statusOf(value).foretakstilstand,
    forretningsadresse: adresseOf(value.forretningsadresse),
  }))
}
