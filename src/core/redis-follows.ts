import { createPace } from './pace.ts'

/**
 * Whether a connection to Redis is to be left for a new one, at an error: that server follows another, which has taken its place. Its
 * name leads there now, and a connection that is kept does not. Asked for each connection, or for those that leave together, a few
 * seconds apart at the least: of one that follows another by mistake what it holds is still read.
 */
export function leavesFollower(): (error: Error) => boolean {
  const pace = createPace({ perSecond: LEAVES_PER_SECOND })
  return ({ message }) => /\b(READONLY|MASTERDOWN)\b/.test(message) && pace() === 0
}

const LEAVES_PER_SECOND = 0.1
