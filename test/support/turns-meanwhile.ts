/**
 * How many turns of the event loop others had while this was done in the same process.
 *
 * @throws what the work throws
 */
export async function turnsMeanwhile(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let isOver = false
  const another = () => {
    turns += 1
    if (!isOver) setImmediate(another)
  }
  setImmediate(another)
  try {
    await work()
    return turns
  } finally {
    isOver = true
  }
}
