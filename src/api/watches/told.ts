import type { Static } from 'typebox'
import type { Watched } from '#src/changes/watches.ts'
import type { Overvaking } from './shapes.ts'

/** A watch as its owner is told of it. */
export function toldWatch({ orgnr, navn, typer, epost, opprettet }: Watched): Static<typeof Overvaking> {
  return {
    organisasjonsnummer: orgnr,
    navn,
    typer: typer === null ? null : [...typer],
    epost,
    opprettet: opprettet.toISOString(),
  }
}
