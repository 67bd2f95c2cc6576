import type { Clock } from '#src/core/clock.ts'
import { sampleAnswers } from '#test/fixtures/samples/index.ts'
import { freePorts } from './free-ports.ts'
import { type MailServer, startMailServer } from './mail-server.ts'
import { startRegisterStandIn } from './register-stand-in.ts'
import { startTestService, type TestService } from './service.ts'
import { startVippsStandIn, type VippsStandIn } from './vipps-stand-in.ts'

/** The whole service with a sale that is open: a register, a Vipps and a mail server that are real servers. */
export type ShopService = TestService & { vipps: VippsStandIn; mail: MailServer }

export const seller = {
  SELLER_NAME: 'Oppslag Eksempel AS',
  SELLER_ORGNR: '901315558MVA',
  SELLER_ADDRESS: 'Prøvegata 1, 0001 Oslo',
  SELLER_VAT_TEXT: 'Herav mva. 25 %: 99,80 kr',
  SELLER_VAT_TEXT_EN: 'Of which VAT 25 %: NOK 99.80',
  PRICE_ORE: '49900',
}

export function vippsVariables({ url, credentials }: Pick<VippsStandIn, 'url' | 'credentials'>) {
  return {
    VIPPS_URL: url,
    VIPPS_CLIENT_ID: credentials.clientId,
    VIPPS_CLIENT_SECRET: credentials.clientSecret,
    VIPPS_SUBSCRIPTION_KEY: credentials.subscriptionKey,
    VIPPS_MSN: credentials.merchantSerialNumber,
  }
}

export async function startShopService({
  variables = {},
  clock,
}: {
  variables?: Record<string, string>
  clock?: Clock
} = {}): Promise<ShopService> {
  const [register, vipps, mail] = await Promise.all([
    startRegisterStandIn({ answers: sampleAnswers() }),
    startVippsStandIn(),
    startMailServer(),
  ])
  // Known before it listens, as in production: Vipps is told of it at once.
  const [port = 0] = await freePorts(1)
  const service = await startTestService(register, {
    isLoaded: true,
    ...(clock === undefined ? {} : { clock }),
    variables: {
      ...seller,
      ...vippsVariables(vipps),
      SMTP_URL: mail.url,
      MAIL_FROM: 'Bedriftsoppslag <nokler@oppslag.example>',
      MILJO: 'test',
      PORT: String(port),
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      ...variables,
    },
  })
  return {
    ...service,
    vipps,
    mail,
    async close() {
      await service.close()
      await Promise.all([register.close(), vipps.close(), mail.close()])
    },
  }
}
