/** The time as the service sees it. Tests hand in their own, so that a year can pass in a test. */
export type Clock = { now(): Date }

export const systemClock: Clock = { now: () => new Date() }
