import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Of this process, after all that nobody holds has been given back. */
export function heldBytes(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  collect()
  return process.memoryUsage().heapUsed
}
