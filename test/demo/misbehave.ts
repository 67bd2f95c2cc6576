import { TROUBLED_STATUS, troubles } from '#src/samples/troubles.ts'
import type { Service } from '#src/wiring/service.ts'
import type { RegisterStandIn } from '#test/support/register-stand-in.ts'

/**
 * From here on some registers do not answer about some companies. Where there is to be an older copy, the company is looked up
 * before, and its copy said to be stale, as an operator does with `foretak foreld`.
 *
 * @param read looks a company up, as a customer does
 */
export async function misbehave(
  { setFault }: Pick<RegisterStandIn, 'setFault'>,
  { tiers }: Pick<Service, 'tiers'>,
  read: (orgnr: string) => Promise<unknown>,
): Promise<void> {
  for (const { orgnr, source, hasCopy } of troubles) {
    if (hasCopy) await read(orgnr)
    setFault(source, { kind: 'status', code: TROUBLED_STATUS }, { orgnr })
    if (hasCopy) await tiers.cache.invalidate(orgnr, [source])
  }
}
