/**
 * Finds processes that hang: they are there, and have stopped saying that they live. What is counted is looks of this process' own, and
 * not time: when all of them have stood still, as on a machine that slept, it has heard of nobody and none of them hangs.
 *
 * @param unheardMax so many looks in a row may hear nothing of one that has been heard
 * @param unheardAtFirstMax and so many of one that was started, until then: the system may have had no room for all of it, and it hangs
 *   before it can say anything
 * @param onHang told once of each
 */
export function createHangWatch<Process>({
  unheardMax,
  unheardAtFirstMax,
  onHang,
}: {
  unheardMax: number
  unheardAtFirstMax: number
  onHang: (process: Process) => void
}) {
  const unheard = new Map<Process, number>()
  return {
    started(process: Process): void {
      unheard.set(process, unheardMax - unheardAtFirstMax)
    },
    heard(process: Process): void {
      unheard.set(process, 0)
    },
    forget(process: Process): void {
      unheard.delete(process)
    },
    look(): void {
      for (const [process, looks] of unheard) {
        unheard.set(process, looks + 1)
        if (looks < unheardMax) continue
        unheard.delete(process)
        onHang(process)
      }
    },
  }
}
