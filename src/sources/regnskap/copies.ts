import { type Static, Type } from 'typebox'
import { policy } from '#config/policy.ts'
import { DAY_MS } from '#src/core/units.ts'
import { createBelief, listOf } from '../believe.ts'
import { provenance, type Source, shapeOf } from '../descriptor.ts'
import { ABSENT, type NamedLifetime, PARTIAL } from '../lifetime.ts'
import { found, isEmpty, parseJson, refuseUnread } from '../response.ts'
import { regnskapsregisteret } from './register.ts'

/** A year comes once a year, and the unit's own change tells of it. */
const lifetime: NamedLifetime = {
  name: 'regnskapskopier',
  about: 'Kopier av årsregnskap',
  freshMs: 30 * DAY_MS,
  staleMs: 90 * DAY_MS,
  keepMs: DAY_MS,
}

const Aar = Type.String({ pattern: '^(?:19|20)[0-9]{2}$' })
const Aarsliste = listOf(Aar)

/** The years, newest first. `erAlle` false: one of them could not be read. */
const Kopiaar = Type.Object({ aar: Type.Array(Type.Integer()), erAlle: Type.Boolean() })
export type Kopiaar = Static<typeof Kopiaar>

/**
 * The years of which the register has a copy of the filed accounts. The copies are never asked for: each takes half a minute
 * to make, and all that is asked here is counted against some 30 calls a minute.
 */
export const regnskapskopier: Source<'regnskapskopier', Kopiaar> = {
  name: 'regnskapskopier',
  title: { nb: 'Kopier av årsregnskap', en: 'Copies of accounts' },
  register: regnskapsregisteret,
  provenance: provenance('brreg-regnskapsregisteret', regnskapsregisteret),
  request: (orgnr) => ({ path: `/regnskapsregisteret/regnskap/aarsregnskap/kopi/${orgnr}/aar` }),
  // The unit says whether there are any, but to wait for it first would make every record as much longer as this call takes.
  askedWhen: null,
  next: null,
  accept: 'application/json',
  schemaOf: () => Aarsliste,
  shape: shapeOf(Kopiaar),
  isAbsence: isEmpty,
  unsupported: null,
  // Nothing in the answer tells whom it is about.
  believe(response) {
    const { value: list, avvik } = believe('regnskapskopier', parseJson('regnskapskopier', response))
    refuseUnread('regnskapskopier', response, { list, avvik })
    const years = new Set(list.flatMap((year) => (year === null ? [] : [Number(year)])))
    const aar = [...years].sort((a, b) => b - a)
    return found({ aar, erAlle: !list.includes(null) }, avvik, response.fetchedAt)
  },
  lifetimes: { found: lifetime, season: null, unsupported: lifetime, absent: ABSENT, partial: PARTIAL },
  guard: policy.guard,
  removes: 'answer',
  touchedBy: { enheter: ['/sisteInnsendteAarsregnskap'], underenheter: false, roller: false },
  withoutErased: null,
  // With two fronts it is 30 a minute in all: 12 for the readers of each, and 6 behind them.
  ownBudget: { about: 'kopiene av årsregnskap', callsPerSecond: 0.1, atOnce: 1 },
  sparing: {
    about: 'kopiene av årsregnskap',
    callsPerSecond: (settings) => settings.regnskapskopiCallsPerSecond,
    savedMax: 10,
    inFlightMax: 4,
    // Nobody waits for a turn that comes after five seconds.
    waitMs: 0,
    deadlineMs: 2000,
    isForPeople: false,
  },
}

const believe = createBelief(Aarsliste)
