import { describe } from 'vitest'
import { tellStories } from '../sales/stories.ts'

describe('P110: what becomes of orders', () => tellStories(Number(process.env.STORIES ?? 2000)))
