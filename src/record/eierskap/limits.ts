import type { Policy } from '#config/policy.ts'

/** The bounds of one answer; policy says each of them, and why. */
export type OwnershipLimits = { readonly [Name in keyof Policy['eierskap']]: number }
