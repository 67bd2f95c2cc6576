import helmet from '@fastify/helmet'
import plugin from 'fastify-plugin'

/** Nothing is loaded from anywhere but here, on any page; answers are not for frames, and no address leaks as referrer. */
export const securityHeaders = plugin(
  async (app) => {
    await app.register(helmet, {
      contentSecurityPolicy: {
        useDefaults: false,
        directives: {
          defaultSrc: ["'none'"],
          scriptSrc: ["'self'"],
          // The reference interface writes style attributes of its own.
          styleSrc: ["'self'", "'unsafe-inline'"],
          imgSrc: ["'self'", 'data:'],
          fontSrc: ["'self'"],
          connectSrc: ["'self'"],
          baseUri: ["'none'"],
          formAction: ["'self'"],
          frameAncestors: ["'none'"],
        },
      },
      referrerPolicy: { policy: 'no-referrer' },
      crossOriginEmbedderPolicy: false,
    })
  },
  { name: 'security-headers' },
)
