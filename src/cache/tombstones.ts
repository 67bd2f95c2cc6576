/**
 * Which companies have been erased. Kept by whoever owns the permanent record of it; the cache asks before it serves and
 * before it writes, on every read, so the answer comes from memory.
 */
export type Tombstones = {
  isErased(company: string): boolean
  /** Another process erased this company, or left its tombstone in Redis. Told again and again is harmless. */
  learned(company: string): void
}
