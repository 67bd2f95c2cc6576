import { policy } from '#config/policy.ts'

/** Loaded before the service: its memory then holds a handful of companies, so that whoever asks in turn finds them in Redis. */
Object.assign(policy.cache, { sectionBytesMax: 32 * 1024, answerBytesMax: 32 * 1024 })
