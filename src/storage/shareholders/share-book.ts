/** One company's share book as it is loaded: holders with shares only, each once, the largest first. */
export type ShareBook = {
  orgnr: number
  /** '' when the file does not give one. */
  navn: string
  /** As the company reported it; 0 is not known. */
  totalt: number
  /** What the holders have together. */
  sum: number
  /** The names of the classes; '' is a class without a name. Holders count them from 0. */
  klasser: readonly string[]
  innehavere: readonly Holder[]
}

/** '' and 0 are what is not known. */
export type Holder = {
  navn: string
  fodselsaar: number
  orgnr: number
  land: string
  /** Over all classes. */
  aksjer: number
  /** Of its shares in the one class it has. */
  klasse: number
  /** Of its shares in each of them when it has several. */
  klasser: Map<number, number> | null
}
