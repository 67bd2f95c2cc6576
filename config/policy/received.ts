/**
 * How what is sent along is received (P147). `freeBytes`: as much as is taken anywhere; a list of some hundred numbers is within it.
 * `heldMs`: so long one who is slow has a place that others wait for; a list as long as they come takes it at 8 Mbit/s.
 */
export const received = { freeBytes: 16 * 1024, waitingMax: 128, waitMs: 10_000, heldMs: 2000 } as const

/** Where there are twice as many places twice as many get one in time; what they hold meanwhile is bounded by the server (P153). */
export const receivedByMany = { ...received, atOnce: 64, waitingMax: 320 } as const
