import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { policy } from '#config/policy.ts'
import { readTypeFilter } from '#src/changes/type-filter.ts'
import type { Watched } from '#src/changes/watches.ts'
import { InputError } from '#src/core/errors.ts'
import { Overvakingsonske } from './shapes.ts'

export type WatchWish = Pick<Watched, 'navn' | 'typer' | 'epost'>

/** @throws InputError for what the document does not have */
export function readWatchWish(body: unknown): WatchWish {
  const given = body ?? {}
  if (!form.Check(given)) {
    throw new InputError('ugyldig_parameter', 'body', {
      norsk: `Send JSON med navn (inntil ${policy.watches.nameLettersMax} tegn), typer (en liste) og epost (straks, daglig eller null); alle kan utelates.`,
      english: `Send JSON with navn (up to ${policy.watches.nameLettersMax} characters), typer (a list) and epost (straks, daglig or null); each may be left out.`,
    })
  }
  const { navn = null, typer = null, epost = null } = given
  return {
    navn: navn === null ? null : cleanText(navn),
    typer: typer === null ? null : readTypeFilter(typer, 'typer'),
    epost,
  }
}

/** PostgreSQL's texts hold neither NUL nor halves of letters; a name is one line. */
function cleanText(text: string): string | null {
  const clean = text
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  return clean === '' ? null : clean
}

/** A word that is none of these is a slip, and would get another answer than was asked for. */
const form = Compile(Type.Object(Overvakingsonske.properties, { additionalProperties: false }))
