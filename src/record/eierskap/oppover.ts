import { nineDigits } from '#src/core/organisation-number.ts'
import { type Climbed, isAtLeast } from './climb.ts'
import { chainOfControl, controlEnd } from './control.ts'
import type { Eier, Eierforhold, Ende, Mellomledd, Oppover } from './eierskap.ts'
import type { OwnershipLimits } from './limits.ts'
import type { OpenBook } from './open-book.ts'
import { createParties, type Parties, type Party } from './parties.ts'
import { inPercent } from './share-book.ts'
import { turnOfBook } from './turn-of-book.ts'

/** Reads the owners out of the opened books; null without the subject's own, for then nothing is known of its owners. Every part of the subject ends in exactly one of the places named in `Oppover`. */
export async function oppover(
  subject: number,
  climbed: Climbed,
  limits: OwnershipLimits,
): Promise<Oppover | null> {
  const own = climbed.books.get(subject)
  if (own === undefined) return null

  const { stands, parties, rest } = await placed(subject, climbed, limits)
  const eiere: Eier[] = []
  const mellomledd: Mellomledd[] = []
  // The subject is an owner where it holds shares in its owners; that is shown, but it is not its own owner.
  const named = new Set(parties.all.filter(({ orgnr }) => orgnr === subject))
  for (const party of parties.all) {
    if (named.has(party)) continue
    const ende = endOf(party, climbed)
    // Unknown is not little: whoever's part can not be told is named.
    if (ende !== null && party.effective !== null && !isAtLeast(party.effective, limits.floorPercent / 100)) {
      rest.small += party.effective
      rest.count += 1
      continue
    }
    named.add(party)
    const facts = {
      direkteProsent: party.direct === null ? null : inPercent(party.direct),
      effektivProsent: party.effective === null ? null : inPercent(party.effective),
      ledd: party.ledd,
    }
    if (ende === null) mellomledd.push({ foretak: party.shown(), ...facts })
    else eiere.push({ eier: party.shown(), ...facts, ende })
  }

  const relations = stands.filter(({ owner }) => named.has(owner))
  return {
    aksjebok: {
      aksjerTotalt: own.book.aksjerTotalt,
      aksjerSum: own.book.aksjerSum,
      innehavere: own.book.innehavere,
    },
    eiere: eiere
      .sort((a, b) => by(b.effektivProsent, a.effektivProsent) || by(b.direkteProsent, a.direkteProsent))
      .slice(0, limits.ownersMax),
    mellomledd: mellomledd.sort((a, b) => a.ledd - b.ledd || by(b.effektivProsent, a.effektivProsent)),
    ovrige: { prosent: inPercent(rest.small), antall: rest.count },
    egneProsent: inPercent(rest.own),
    uoppgittProsent: inPercent(rest.unstated),
    ubestemtProsent: inPercent(rest.undetermined),
    ledd: levelByLevel(relations, climbed, limits.relationsMax),
    kontrollkjede: kontrollkjede(subject, climbed, stands),
    avkortet: climbed.isCut || relations.length > limits.relationsMax || eiere.length > limits.ownersMax,
  }
}

/** One holding and whose it is; `weight` is how much of the subject comes to the owner this way. */
type Stand = { eid: number; row: number; owner: Party; ledd: number; weight: number | null }

/** What does not reach an owner who is named, in parts of the subject. */
type Rest = { small: number; own: number; unstated: number; undetermined: number; count: number }

async function placed(
  subject: number,
  { books, shares }: Climbed,
  { holdersWithoutPartMax }: OwnershipLimits,
): Promise<{ stands: Stand[]; parties: Parties; rest: Rest }> {
  const parties = createParties((orgnr) => books.get(orgnr)?.book.navn ?? null)
  const stands: Stand[] = []
  const rest: Rest = { small: 0, own: 0, unstated: 0, undetermined: shares.undeterminedPart, count: 0 }
  const distance = distances(subject, books)

  for (const [eid, { book, whole, own, holdings: all }] of books) {
    await turnOfBook()
    const ledd = (distance.get(eid) ?? 0) + 1
    const passed = shares.passed.get(eid) ?? null
    const holdings = whole === null ? all.slice(0, holdersWithoutPartMax) : all
    rest.count += Math.max(0, book.innehavere - holdings.length - (own > 0 ? 1 : 0))
    if (whole === null) rest.undetermined += shares.held.get(eid) ?? 0
    else if (passed !== null) {
      const listed = holdings.reduce((sum, { aksjer }) => sum + aksjer, own)
      const sum = Math.max(book.aksjerSum, listed)
      rest.small += (passed * (sum - listed)) / whole
      rest.own += (passed * own) / whole
      rest.unstated += (passed * (whole - sum)) / whole
    }
    holdings.forEach((holding, row) => {
      const owner = parties.of(holding)
      const part = whole === null ? null : holding.aksjer / whole
      const weight = part === null || passed === null ? null : passed * part
      owner.ledd = Math.min(owner.ledd, ledd)
      if (part !== null && eid === subject) owner.direct = (owner.direct ?? 0) + part
      if (weight !== null) owner.effective = (owner.effective ?? 0) + weight
      stands.push({ eid, row, owner, ledd, weight })
    })
  }

  for (const party of parties.all) {
    // Added up above a company of a circle counts once for every round; `held` counts its shares once.
    if (party.orgnr !== null && party.effective !== null)
      party.effective = shares.held.get(party.orgnr) ?? null
  }
  return { stands, parties, rest }
}

/** Steps upwards from the subject to every opened company, on the shortest way. */
function distances(subject: number, books: ReadonlyMap<number, OpenBook>): Map<number, number> {
  const distance = new Map([[subject, 0]])
  for (const [orgnr, steps] of distance) {
    for (const { orgnr: holder } of books.get(orgnr)?.holdings ?? []) {
      if (holder !== undefined && books.has(holder) && !distance.has(holder)) distance.set(holder, steps + 1)
    }
  }
  return distance
}

/** Why a chain ends at this owner; null where it goes on. */
function endOf(party: Party, { books, absent, shares }: Climbed): Ende | null {
  const { orgnr } = party
  if (orgnr !== null && shares.undetermined.has(orgnr)) return 'sirkel'
  if (orgnr !== null && books.has(orgnr)) return null
  if (party.effective === null) return 'andel_ukjent'
  if (party.kind === 'offentlig' || party.kind === 'forvalter') return party.kind
  if (orgnr === null) return 'endelig'
  return absent.has(orgnr) ? 'uten_aksjebok' : 'avkortet'
}

function levelByLevel(relations: readonly Stand[], climbed: Climbed, relationsMax: number): Oppover['ledd'] {
  const weightiest = relations.toSorted((a, b) => by(b.weight, a.weight)).slice(0, relationsMax)
  const levels = new Map<number, Eierforhold[]>()
  for (const stand of weightiest.sort((a, b) => a.ledd - b.ledd)) {
    const forhold = levels.get(stand.ledd) ?? []
    levels.set(stand.ledd, forhold)
    forhold.push(eierforhold(stand, climbed))
  }
  return [...levels].map(([ledd, forhold]) => ({ ledd, forhold }))
}

function eierforhold(
  { eid, row, owner }: Pick<Stand, 'eid' | 'row' | 'owner'>,
  { books }: Climbed,
): Eierforhold {
  const open = books.get(eid)
  const aksjer = open?.holdings[row]?.aksjer ?? 0
  const whole = open?.whole ?? null
  return {
    eier: owner.shown(),
    eid: { organisasjonsnummer: nineDigits(eid), navn: open?.book.navn ?? null },
    aksjer,
    prosent: whole === null ? null : inPercent(aksjer / whole),
  }
}

function kontrollkjede(
  subject: number,
  climbed: Climbed,
  stands: readonly Stand[],
): Oppover['kontrollkjede'] {
  const chain = chainOfControl(subject, climbed.books)
  const owners = chain.map(
    ({ eid, row }) => stands.find((stand) => stand.eid === eid && stand.row === row)?.owner,
  )
  const top = owners[chain.findLastIndex(({ holding }) => holding.kind === 'foretak')]?.shown()
  return {
    ledd: chain.flatMap(({ eid, row }, index) => {
      const owner = owners[index]
      return owner === undefined ? [] : [eierforhold({ eid, row, owner }, climbed)]
    }),
    // A circle has no top, and a company nobody controls is the head of no group but its own.
    konsernspiss:
      top === undefined || top.organisasjonsnummer === null || chain.at(-1)?.isCircle === true
        ? null
        : { organisasjonsnummer: top.organisasjonsnummer, navn: top.navn },
    ende: controlEnd(subject, chain, climbed),
  }
}

/** Unknown comes after everything known. */
function by(a: number | null, b: number | null): number {
  return (a ?? -1) - (b ?? -1)
}
