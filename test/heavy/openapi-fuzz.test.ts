import { describe } from 'vitest'
import { fuzz } from '../scenarios/openapi-fuzz.ts'

describe('whatever is sent', () => fuzz(10_000))
