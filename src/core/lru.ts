import { LRUCache } from 'lru-cache'

/**
 * Of what is put in it the `entriesMax` that were last used. It grows as it is filled: told of `max`, lru-cache takes the room for
 * all of them at once, which was 5 MB and 20 ms of a process before its first request.
 */
export function createLru<Key extends {}, Value extends {}>(entriesMax: number): LRUCache<Key, Value> {
  return new LRUCache({ maxSize: entriesMax, sizeCalculation: () => 1 })
}
