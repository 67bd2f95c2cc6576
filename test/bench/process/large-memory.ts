import { policy } from '#config/policy.ts'

/** Loaded before the service: its memory then holds a hundred thousand companies. */
Object.assign(policy.cache, { answerBytesMax: 2 * 1024 ** 3 })
