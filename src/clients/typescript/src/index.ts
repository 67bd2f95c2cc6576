export type { Klient } from './client.ts'
export { lagKlient } from './client.ts'
export { OppslagProblem, UventetSvar } from './problem.ts'
export type {
  Aksjonaer,
  Bedrift,
  Del,
  Endring,
  Felt,
  Linje,
  Overvaking,
  Rolleforetak,
  Sokefilter,
  Treff,
  Underenhet,
} from './shapes.ts'
export type { Kept, TagStore, TransportOptions } from './transport.ts'
export { memoryStore } from './transport.ts'
export type { components } from './types.ts'
