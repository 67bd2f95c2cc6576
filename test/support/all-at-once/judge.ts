import { eventually } from '../eventually.ts'

/** What does not hold is kept, and the rest is judged all the same. */
export function createJudge(withinMs: number) {
  const wrong: string[] = []
  return {
    wrong,
    isSo(what: string, is: boolean): void {
      if (!is) wrong.push(what)
    },
    /** Waits for it. */
    async holds(what: string, is: () => boolean | Promise<boolean>): Promise<void> {
      await eventually(what, is, withinMs).catch(() => wrong.push(what))
    },
  }
}

export type Judge = Pick<ReturnType<typeof createJudge>, 'isSo' | 'holds'>
