import { policy } from '#config/policy.ts'

/** Loaded before the service: what it puts together it leaves for nobody, so every record from Redis is made of its sections. */
Object.assign(policy.cache, { sharedAnswerMs: 0 })
