import { type Static, Type } from 'typebox'
import { foldName } from '#src/core/person-name.ts'
import type { StoredHolder } from '#src/storage/shareholders/hidden-holders.ts'
import type { StoredBook } from '#src/storage/shareholders/read-books.ts'
import { exactly, oneOf } from '../shape.ts'
import { hvem, hvemOf, sharesOf } from './aksjonaer.ts'

const Endring = exactly({
  ...hvem,
  fra: Type.Integer({ minimum: 0, description: 'Aksjer året før.' }),
  til: Type.Integer({ minimum: 0, description: 'Aksjer dette året.' }),
})

const NAMED_MAX = 5
const Endrede = exactly({
  antall: Type.Integer({ minimum: 0 }),
  navngitte: Type.Array(Endring, { maxItems: NAMED_MAX, description: 'De største av dem.' }),
})

export const Endringer = exactly(
  {
    motAar: Type.Integer({ description: 'Det forrige året som er importert.' }),
    omfatter: oneOf(
      ['alle', 'de_200_storste'],
      'de_200_storste: bare de 200 største hvert år er sammenlignet; en som er ute her, kan være blant de mindre.',
    ),
    inn: Endrede,
    ut: Endrede,
    opp: Endrede,
    ned: Endrede,
  },
  { description: 'Antall aksjer mot forrige importerte år. En splitt eller emisjon endrer alle.' },
)
export type Endringer = Static<typeof Endringer>

/**
 * What became of the holders between two years' share books. Companies are the same by number, persons by name and year of
 * birth, others by name and country; never by place. Two of the same name and year count as one.
 */
export function endringerOf(before: StoredBook, now: StoredBook, motAar: number): Endringer {
  const held = sharesByHolder(before.storste)
  const holds = sharesByHolder(now.storste)
  const changes = [...new Set([...holds.keys(), ...held.keys()])].flatMap((key) => {
    const fra = held.get(key)?.shares ?? 0
    const til = holds.get(key)?.shares ?? 0
    const holder = holds.get(key)?.holder ?? held.get(key)?.holder
    return holder === undefined || fra === til ? [] : { holder, fra, til }
  })
  const isAll = before.storste.length >= before.innehavere && now.storste.length >= now.innehavere
  return {
    motAar,
    omfatter: isAll ? 'alle' : 'de_200_storste',
    inn: endrede(changes.filter(({ fra }) => fra === 0)),
    ut: endrede(changes.filter(({ til }) => til === 0)),
    opp: endrede(changes.filter(({ fra, til }) => fra > 0 && til > fra)),
    ned: endrede(changes.filter(({ fra, til }) => til > 0 && til < fra)),
  }
}

export function isUnchanged({ inn, ut, opp, ned }: Endringer): boolean {
  return [inn, ut, opp, ned].every(({ antall }) => antall === 0)
}

type Change = { holder: StoredHolder; fra: number; til: number }

function endrede(changes: readonly Change[]): Static<typeof Endrede> {
  const largest = changes.toSorted((a, b) => Math.abs(b.til - b.fra) - Math.abs(a.til - a.fra))
  const navngitte = largest
    .slice(0, NAMED_MAX)
    .map(({ holder, fra, til }) => ({ ...hvemOf(holder), fra, til }))
  return { antall: changes.length, navngitte }
}

function sharesByHolder(
  holders: readonly StoredHolder[],
): Map<string, { holder: StoredHolder; shares: number }> {
  const byHolder = new Map<string, { holder: StoredHolder; shares: number }>()
  for (const holder of holders) {
    const key = keyOf(holder)
    byHolder.set(key, { holder, shares: (byHolder.get(key)?.shares ?? 0) + sharesOf(holder) })
  }
  return byHolder
}

function keyOf({ skjult, orgnr, fodselsaar, navn, land }: StoredHolder): string {
  if (skjult !== null) return `hidden ${skjult}`
  if (orgnr !== null) return `${orgnr}`
  return `${fodselsaar ?? land ?? ''} ${foldName(navn ?? '')}`
}
