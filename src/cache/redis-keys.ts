/** Where a release keeps what it holds of a company. */
export function heldKeyOf(schemaVersion: number, company: string): string {
  return `bo:${schemaVersion}:${company}`
}

/** Beside the companies' keys, which sweeps go through. */
export function answerKeyOf(key: string): string {
  return `bo-answer${key.slice('bo'.length)}`
}

/** When all that is held under a version was gone through last, by what of it. Beside the companies' keys, too. */
export function sweptKeyOf(schemaVersion: number): string {
  return `bo-swept:${schemaVersion}`
}

/**
 * Where every change made under a version is told. Redis has keys by database, and channels once: in another than the first, which may be
 * another installation's, it is told under the number of it.
 */
export function channelOf(schemaVersion: number, database = 0): string {
  return `bo:${schemaVersion}:changed${database === 0 ? '' : `@${database}`}`
}

/** Every version something was kept under, by when that was last. */
export const VERSIONS = 'bo-versions'
