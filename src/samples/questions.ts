/** What each call is tried with, by its operation, where an address alone is no question: about invented companies. */
export const QUESTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  sokEtterForetak: { q: 'tindevåg' },
  foreslaForetak: { q: 'tinde' },
  finnForetak: { navn: 'tindevåg sjømat as' },
}
