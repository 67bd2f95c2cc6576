/** Why a name is a hit, best first. */
export const trefftyper = [
  'organisasjonsnummer',
  'likt_navn',
  'navnet_begynner_slik',
  'navnet_inneholder',
  'alle_ord',
  'tidligere_navn',
  'noen_ord',
  'annet',
] as const
export type Trefftype = (typeof trefftyper)[number]

/** `navn` is null when the register's name could not be read. */
type Candidate = { navn: string | null; tidligereNavn: readonly string[]; isActive: boolean }

/**
 * Ranks names for a text: the same name, then names beginning with it, then the rest; among equals active companies before
 * those dissolved or on their way, then the shorter name (fewer words beside the ones asked for), then the alphabet.
 * Pure; the order in which candidates came does not matter.
 */
export function rank<C extends Candidate>(
  text: string,
  candidates: readonly C[],
): (C & { trefftype: Trefftype })[] {
  return candidates
    .map((candidate) => ({ ...candidate, trefftype: trefftype(text, candidate) }))
    .sort(
      (a, b) =>
        trefftyper.indexOf(a.trefftype) - trefftyper.indexOf(b.trefftype) ||
        Number(b.isActive) - Number(a.isActive) ||
        lengthOf(a) - lengthOf(b) ||
        (a.navn ?? '').localeCompare(b.navn ?? '', 'nb'),
    )
}

/** The register's own running-text test, in the register's way: case aside, letter by letter. */
export function matches(text: string, navn: string): boolean {
  return navn.toLowerCase().includes(text.trim().toLowerCase())
}

/** The register finds more than what stands in the name today: what does not stand there is not said to. */
function trefftype(text: string, { navn, tidligereNavn }: Candidate): Trefftype {
  const now = navn === null ? null : match(text, navn)
  if (now !== null && now !== 'noen_ord') return now
  const before = tidligereNavn.map((name) => match(text, name))
  if (before.some((found) => found !== null && found !== 'noen_ord')) return 'tidligere_navn'
  return now ?? 'annet'
}

function match(text: string, navn: string): Trefftype | null {
  const asked = plain(text)
  const name = plain(navn)
  if (asked === '') return matches(text, navn) ? 'navnet_inneholder' : null
  // A person who leaves out the form of company means the same name.
  if (name === asked || withoutForm(name) === withoutForm(asked)) return 'likt_navn'
  if (name.startsWith(asked)) return 'navnet_begynner_slik'
  if (name.includes(asked)) return 'navnet_inneholder'
  const words = new Set(name.split(' '))
  const found = asked.split(' ').filter((word) => words.has(word)).length
  if (found === 0) return null
  return found === asked.split(' ').length ? 'alle_ord' : 'noen_ord'
}

/** A name that is not known comes last. */
function lengthOf({ navn }: Candidate): number {
  return navn?.length ?? Number.MAX_SAFE_INTEGER
}

/** Case and punctuation apart, letters kept as they are: Å is not A to a Norwegian reader. */
function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

function withoutForm(name: string): string {
  return name.replace(/ (as|asa|ans|da|sa|ba|nuf|ks|enk)$/, '')
}
