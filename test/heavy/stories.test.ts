import { describe } from 'vitest'
import { tellStories } from '../sales/stories.ts'

const count = Number(process.env.STORIES ?? 2000)

describe('P110, P160: what becomes of orders', () => tellStories(count))
describe('P110, P160: what becomes of orders when all happens at once', () =>
  tellStories(count, undefined, { atOnce: 5 }))
