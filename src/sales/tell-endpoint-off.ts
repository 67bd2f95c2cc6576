import { ownerAddress } from '#src/storage/changes/owner.ts'
import type { Errand } from '#src/storage/errands.ts'
import { listEndpoints } from '#src/storage/push/endpoints.ts'
import type { SalesContext } from './context.ts'
import { mailErrand, messageId } from './mailing.ts'

/** Mails the holder that nothing is sent to some endpoint any more. A mail that may have arrived is not sent again. */
export async function tellEndpointOff(
  context: SalesContext,
  errand: Errand,
  { signal }: { signal: AbortSignal },
): Promise<void> {
  const { db, links } = context
  await mailErrand(context, errand, {
    signal,
    isAtMostOnce: true,
    async write(claimed, at) {
      const to = await ownerAddress(db, errand.gjelder, at)
      const endpoints = (await listEndpoints(db, errand.gjelder)).flatMap(({ adresse, av }) =>
        av !== null && (av.grunn === 'borte' || av.grunn === 'feilet')
          ? [{ host: new URL(adresse).host, since: av.at, grunn: av.grunn }]
          : [],
      )
      // Switched on again meanwhile, or deleted.
      if (to === null || endpoints.length === 0) return null
      return {
        kind: 'endpoint_off',
        to,
        endpoints,
        url: links.endpoints(),
        messageId: messageId(context, claimed),
      }
    },
  })
}
