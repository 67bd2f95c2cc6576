import type { RegisterFacts } from '../register.ts'

export const regnskapsregisteret = {
  name: 'regnskap',
  title: 'Regnskaps\u00adregisteret',
  about: 'Regnskapsregisteret',
  host: 'register',
  kilde: 'Brønnøysundregistrene, Regnskapsregisteret',
  lisens: 'NLOD 2.0',
  budget: { callsPerSecond: 10, atOnce: 4 },
} as const satisfies RegisterFacts
