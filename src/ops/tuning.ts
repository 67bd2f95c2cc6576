import type { Clock } from '#src/core/clock.ts'
import { OppslagError } from '#src/core/errors.ts'
import type { Queryable } from '#src/storage/database.ts'
import { addTuning, listTunings } from '#src/storage/tuning.ts'
import { changedTuning, readTuning, type Tunable, type Tuning } from './tunables.ts'

/** Somebody else has changed the tuning since it was looked at. Look again, and decide again. */
export class TuningConflictError extends OppslagError {
  constructor() {
    super(
      'versjonskonflikt',
      'Noen andre har endret levetidene siden du så på dem. Last siden på nytt, og prøv igjen.',
    )
  }
}

type TuningVersion = {
  /** 0: nothing was ever tuned. */
  versjon: number
  verdier: Tuning
  hvem: string
  hvorfor: string
  satt: Date | null
}

export type TuningState = {
  /** The newest version there is, usable or not: what a change has to be made from. */
  newest: number
  /** What holds: the newest that can be used. */
  current: TuningVersion
  /** The newest can not be used, and `current` is older. */
  isBroken: boolean
  /** Newest first; `verdier` is null for one that can not be used. */
  history: (Omit<TuningVersion, 'verdier'> & { verdier: Tuning | null })[]
}

/** The tuning as it is stored. A value that was broken in the database does not take the service with it: the last good holds. */
export async function readTuningState(db: Queryable, tunables: readonly Tunable[]): Promise<TuningState> {
  const history = (await listTunings(db, HISTORY_MAX)).map((stored) => ({
    ...stored,
    verdier: usable(stored.verdier, tunables),
  }))
  const good = history.find(({ verdier }) => verdier !== null)
  const current: TuningVersion =
    good === undefined ? UNTUNED : { ...good, verdier: good.verdier ?? UNTUNED.verdier }
  return {
    newest: history[0]?.versjon ?? 0,
    current,
    isBroken: history[0] !== undefined && history[0].verdier === null,
    history,
  }
}

type TuningChange = {
  /** The newest version when the change was decided on. */
  base: number
  changes: Readonly<Partial<Record<string, number | null>>>
  hvem: string
  hvorfor: string
}

/** @throws InputError for a value out of its bounds, TuningConflictError when `base` is no longer the newest */
export async function setTuning(
  { db, clock }: { db: Queryable; clock: Clock },
  tunables: readonly Tunable[],
  { base, changes, hvem, hvorfor }: TuningChange,
): Promise<TuningVersion> {
  const { current } = await readTuningState(db, tunables)
  const verdier = changedTuning(current.verdier, changes, tunables)
  return store({ db, clock }, { base, verdier, hvem, hvorfor })
}

/** What held before the newest change holds again, as a version of its own. Done twice it is where it was. */
export async function rollBackTuning(
  { db, clock }: { db: Queryable; clock: Clock },
  tunables: readonly Tunable[],
  { base, hvem, hvorfor }: Omit<TuningChange, 'changes'>,
): Promise<TuningVersion> {
  const { history } = await readTuningState(db, tunables)
  const before = history.slice(1).find(({ verdier }) => verdier !== null)
  return store({ db, clock }, { base, verdier: before?.verdier ?? {}, hvem, hvorfor })
}

async function store(
  { db, clock }: { db: Queryable; clock: Clock },
  { base, ...tuning }: Omit<TuningVersion, 'versjon' | 'satt'> & { base: number },
): Promise<TuningVersion> {
  const satt = clock.now()
  if (!(await addTuning(db, base, { ...tuning, satt }))) throw new TuningConflictError()
  return { ...tuning, versjon: base + 1, satt }
}

function usable(found: unknown, tunables: readonly Tunable[]): Tuning | null {
  try {
    return readTuning(found, tunables)
  } catch {
    return null
  }
}

const UNTUNED: TuningVersion = { versjon: 0, verdier: {}, hvem: '', hvorfor: '', satt: null }
/** A broken one is put right by an operator long before so many are. */
const HISTORY_MAX = 50
