/**
 * What takes a while to put together, and is told whole: of what it began with some may be told no more when it is done. It is made again
 * then, of what may be told by now, which is at hand.
 *
 * @param word another for each state of what may be told
 * @returns null where that was another each time
 */
export async function madeAsOfNow<Made>(word: () => string, make: () => Promise<Made>): Promise<Made | null> {
  for (let times = 0; times < TIMES_MAX; times += 1) {
    const before = word()
    const made = await make()
    if (word() === before) return made
  }
  return null
}

/** Who may be told of no more comes seldom, and several of them at one moment. */
const TIMES_MAX = 3
