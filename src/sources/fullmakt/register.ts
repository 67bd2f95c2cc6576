import type { RegisterFacts } from '../register.ts'

/** Brønnøysundregistrene's service that works out who may sign, from the roles and what is registered beside them. */
export const fullmakt = {
  name: 'fullmakt',
  title: 'Fullmakt',
  about: 'Fullmakt',
  host: 'register',
  kilde: 'Brønnøysundregistrene, Fullmakt',
  lisens: 'NLOD 2.0',
  budget: { callsPerSecond: 20, atOnce: 8 },
} as const satisfies RegisterFacts
