import { type Environment, readEnvironment } from '#config/environment.ts'
import { issueKey } from '#src/access/issue-key.ts'
import { systemClock } from '#src/core/clock.ts'
import { startOrExplain } from '#src/core/start.ts'
import { SAMPLE } from '#src/samples/numbers.ts'
import { samplesAt } from '#src/samples/samples.ts'
import { openStorage } from '#src/storage/open-storage.ts'
import { endInOrder } from '#src/wiring/ending.ts'
import { openService } from '#src/wiring/service.ts'
import { demoMail } from './support/demo-mail.ts'
import { inDemoPlace } from './support/demo-place.ts'
import { startMailServer } from './support/mail-server.ts'
import { startRegisterStandIn } from './support/register-stand-in.ts'
import { seller, vippsVariables } from './support/shop-service.ts'
import { startVippsStandIn } from './support/vipps-stand-in.ts'

/**
 * Door: the whole service over a register of invented companies, with a key to try it with, and a shop: one pays at a stand-in
 * for Vipps, and reads the mails at /demo/post, where nobody but this machine can.
 */
const [register, vipps, mail] = await Promise.all([
  startRegisterStandIn({ answers: samplesAt(systemClock.now()) }),
  startVippsStandIn(),
  startMailServer(),
])
const { service, address, token } = await startOrExplain(() =>
  inDemoPlace(process.env, async (place) => {
    const environment = readEnvironment({
      ...seller,
      ...process.env,
      ...place,
      MILJO: 'test',
      REGISTER_URL: register.registerUrl,
      KUNNGJORING_URL: register.kunngjoringUrl,
      KLASS_URL: register.klassUrl,
      ...vippsVariables(vipps),
      SMTP_URL: mail.url,
      MAIL_FROM: 'Bedriftsoppslag (demo) <nokler@oppslag.example>',
    })
    const service = await openService(environment, { workers: true })
    demoMail(service.app, mail)
    return { service, address: await service.listen(), token: await demoKey(environment) }
  }),
)
endInOrder({
  log: service.log,
  async close() {
    await service.close()
    await Promise.all([register.close(), vipps.close(), mail.close()])
  },
})

console.log(`Bedriftsoppslag (demo, invented companies) listens on ${address}`)
console.log(`API key: ${token}`)
console.log(`curl -H 'Authorization: Bearer ${token}' ${address}/api/bedrift/${SAMPLE.healthy}`)
console.log(`Documentation: ${address}/dokumentasjon`)
console.log(`Buy a key: ${address}/kjop`)
console.log(`The mails: ${address}/demo/post`)
console.log(`Payments: ${vipps.url}/betalinger`)

async function demoKey({ databaseUrl, dataDir, miljo }: Environment): Promise<string> {
  const storage = await openStorage({ databaseUrl, dataDir, applicationName: 'demo', poolMax: 1 })
  try {
    const key = await issueKey(
      { db: storage.database, clock: systemClock },
      { epost: 'demo@example.com', miljo },
    )
    return key.token
  } finally {
    await storage.close()
  }
}
