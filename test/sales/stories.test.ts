import { describe } from 'vitest'
import { tellStories } from './stories.ts'

/** Thousands: test/heavy. */
describe('P110, P160: what becomes of orders', () => tellStories(15, 2))
