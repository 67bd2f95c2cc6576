import helmet from '@fastify/helmet'
import plugin from 'fastify-plugin'

export type PageSafety = {
  /** Besides ours: where the answer to a form may lead, which browsers hold to the same rule as the form itself. */
  formsLeadTo: readonly string[]
}

/** Nothing is loaded from anywhere but here, on any page; answers are not for frames, and no address leaks as referrer. */
export const securityHeaders = plugin<PageSafety>(
  async (app, { formsLeadTo }) => {
    await app.register(helmet, {
      contentSecurityPolicy: {
        useDefaults: false,
        directives: {
          defaultSrc: ["'none'"],
          scriptSrc: ["'self'"],
          styleSrc: ["'self'"],
          imgSrc: ["'self'", 'data:'],
          fontSrc: ["'self'"],
          connectSrc: ["'self'"],
          baseUri: ["'none'"],
          formAction: ["'self'", ...formsLeadTo],
          frameAncestors: ["'none'"],
        },
      },
      referrerPolicy: { policy: 'no-referrer' },
      crossOriginEmbedderPolicy: false,
      // Said with the common headers, and over https alone.
      strictTransportSecurity: false,
    })
  },
  { name: 'security-headers' },
)
