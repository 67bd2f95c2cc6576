/** Why a name is a hit, best first. */
export const trefftyper = [
  'organisasjonsnummer',
  'likt_navn',
  'navnet_begynner_slik',
  'navnet_inneholder',
  'alle_ord',
  'noen_ord',
] as const
export type Trefftype = (typeof trefftyper)[number]

/**
 * Ranks names for a text: the same name, then names beginning with it, then the rest; among equals active companies before
 * those dissolved or on their way, then the shorter name (fewer words beside the ones asked for), then the alphabet.
 * Pure; the order in which candidates came does not matter.
 */
export function rank<C extends { navn: string; isActive: boolean }>(
  text: string,
  candidates: readonly C[],
): (C & { trefftype: Trefftype })[] {
  const asked = plain(text)
  return candidates
    .map((candidate) => ({ ...candidate, trefftype: trefftype(asked, plain(candidate.navn)) }))
    .sort(
      (a, b) =>
        trefftyper.indexOf(a.trefftype) - trefftyper.indexOf(b.trefftype) ||
        Number(b.isActive) - Number(a.isActive) ||
        a.navn.length - b.navn.length ||
        a.navn.localeCompare(b.navn, 'nb'),
    )
}

/** The register's own running-text test, in the register's way: case aside, letter by letter. */
export function matches(text: string, navn: string): boolean {
  return navn.toLowerCase().includes(text.trim().toLowerCase())
}

function trefftype(asked: string, name: string): Trefftype {
  // A person who leaves out the form of company means the same name.
  if (name === asked || withoutForm(name) === withoutForm(asked)) return 'likt_navn'
  if (name.startsWith(asked)) return 'navnet_begynner_slik'
  if (name.includes(asked)) return 'navnet_inneholder'
  const words = new Set(name.split(' '))
  return asked.split(' ').every((word) => words.has(word)) ? 'alle_ord' : 'noen_ord'
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
