import type { RegisterFacts } from '../register.ts'

/** A page for people, which gets little of our traffic. */
export const kunngjoringsregisteret = {
  name: 'kunngjoringer',
  title: 'Brønnøysund\u00adregistrene',
  about: 'kunngjøringene',
  host: 'kunngjoring',
  kilde: 'Brønnøysundregistrene, kunngjøringer',
  lisens: 'Vilkår ikke avklart; følg lenken til kilden',
  budget: { callsPerSecond: 1, atOnce: 1 },
} as const satisfies RegisterFacts
