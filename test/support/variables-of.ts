import type { RegisterStandIn } from './register-stand-in.ts'

/** What a process needs to be told to use these registers and stores. */
export function variablesOf(over: {
  register: Pick<RegisterStandIn, 'registerUrl' | 'kunngjoringUrl' | 'klassUrl'>
  databaseUrl: string
  cacheRedisUrl?: string
  queueRedisUrl?: string
}): Record<string, string> {
  return {
    DATABASE_URL: over.databaseUrl,
    CACHE_REDIS_URL: over.cacheRedisUrl ?? '',
    QUEUE_REDIS_URL: over.queueRedisUrl ?? '',
    MILJO: 'test',
    KANARI: 'av',
    REGISTER_URL: over.register.registerUrl,
    KUNNGJORING_URL: over.register.kunngjoringUrl,
    KLASS_URL: over.register.klassUrl,
    KUNNGJORING_CALLS_PER_SECOND: '1000',
    REGNSKAPSKOPI_CALLS_PER_SECOND: '1000',
    SOKEINDEKS: 'av',
    // A slow machine is no slow register.
    ANSWER_DEADLINE_MS: '15000',
  }
}
