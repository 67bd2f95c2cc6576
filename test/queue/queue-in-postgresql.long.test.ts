import { describe } from 'vitest'
import { contractOf } from './queue-contract.ts'

describe('the queue in PostgreSQL', contractOf('PostgreSQL'))
