/**
 * What takes a while to put together, and is told whole: of what it began with some may be told no more when it is done. It is made again
 * then, of what may be told by now, which is at hand. That others may be told of no more does not matter to it: where they come in a row,
 * as from a feed, whatever takes longer than the next takes to come would be told to nobody.
 *
 * @param word another for each state of what may be told; given names, another whenever one of those may be told of no more
 * @param make says whom it names, unless `word` goes by all of them whatever it is given
 * @returns null where that was another each time
 */
export async function madeAsOfNow<Made>(
  word: (named?: ReadonlySet<string>) => string,
  make: (named: Set<string>) => Promise<Made>,
): Promise<Made | null> {
  // Of those before as well: who is named though they were removed long ago is known for that the next time.
  const named = new Set<string>()
  for (let times = 0; times < TIMES_MAX; times += 1) {
    const before = { all: word(), named: word(named) }
    const made = await make(named)
    if (word() === before.all || word(named) === before.named) return made
  }
  return null
}

/** Who may be told of no more comes seldom, and several of them at one moment. */
const TIMES_MAX = 3
