/** How many there are of each name now. Names of which there are none take no room. */
export function createTally() {
  const counts = new Map<string, number>()

  return {
    count: (name: string): number => counts.get(name) ?? 0,

    add(name: string): void {
      counts.set(name, (counts.get(name) ?? 0) + 1)
    },

    remove(name: string): void {
      const left = (counts.get(name) ?? 0) - 1
      if (left > 0) counts.set(name, left)
      else counts.delete(name)
    },
  }
}
