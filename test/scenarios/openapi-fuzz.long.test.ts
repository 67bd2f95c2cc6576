import { describe } from 'vitest'
import { fuzz } from './openapi-fuzz.ts'

/** Ten thousand at a time: test/heavy. */
describe('whatever is sent', () => fuzz(800))
