import { type Environment, readEnvironment } from '#config/environment.ts'
import { issueKey } from '#src/access/issue-key.ts'
import { noteDemo } from '#src/commands/oppslag/beside-demo.ts'
import { type Clock, systemClock } from '#src/core/clock.ts'
import { makeOperator } from '#src/ops/operators.ts'
import { samplesAt } from '#src/samples/samples.ts'
import { openStorage } from '#src/storage/open-storage.ts'
import { revokeOperator } from '#src/storage/operators.ts'
import { openService, type Service } from '#src/wiring/service.ts'
import { demoMail } from '#test/support/demo-mail.ts'
import { startMailServer } from '#test/support/mail-server.ts'
import { startRegisterStandIn } from '#test/support/register-stand-in.ts'
import { seller, vippsVariables } from '#test/support/shop-service.ts'
import { startVippsStandIn } from '#test/support/vipps-stand-in.ts'
import { fillDemo } from './fill.ts'
import { firstScreen } from './first-screen.ts'
import { misbehave } from './misbehave.ts'

export type Surroundings = Awaited<ReturnType<typeof startSurroundings>>

/** What the demo stands among: the registers, Vipps and a mail server, each a real server of this process. */
export async function startSurroundings(clock: Clock = systemClock) {
  const [register, vipps, mail] = await Promise.all([
    startRegisterStandIn({ answers: samplesAt(clock.now()) }),
    startVippsStandIn(),
    startMailServer(),
  ])
  return {
    register,
    vipps,
    mail,
    async close() {
      await Promise.all([register.close(), vipps.close(), mail.close()])
    },
  }
}

/** The whole service over the invented companies, with all an operator would have brought in, and ways in to both sides. */
export async function openDemo(
  env: Readonly<Record<string, string | undefined>>,
  { register, vipps, mail }: Surroundings,
  ended: AbortSignal = new AbortController().signal,
): Promise<{ service: Service; address: string; token: string; screen: string[]; close(): Promise<void> }> {
  const sends = {
    MILJO: 'test',
    SMTP_URL: mail.url,
    MAIL_FROM: 'Bedriftsoppslag (demo) <nokler@oppslag.example>',
  }
  const environment = readEnvironment({
    ...seller,
    // The stand-in may be asked as often as people like.
    KUNNGJORING_CALLS_PER_SECOND: '100',
    REGNSKAPSKOPI_CALLS_PER_SECOND: '100',
    ...env,
    ...sends,
    KANARI: 'av',
    REGISTER_URL: register.registerUrl,
    KUNNGJORING_URL: register.kunngjoringUrl,
    KLASS_URL: register.klassUrl,
    ...vippsVariables(vipps),
  })
  const ways = await makeReady(environment, ended)
  const service = await openService(environment, { workers: true, ended })
  try {
    demoMail(service.app, mail)
    const address = await service.listen()
    const authorization = `Bearer ${ways.token}`
    await misbehave(register, service, (orgnr) =>
      fetch(`${address}/api/bedrift/${orgnr}`, { headers: { authorization } }).then((answer) =>
        answer.text(),
      ),
    )
    const takeBack = noteDemo(environment.dataDir, { address, variables: { ...sends, PUBLIC_URL: address } })
    return {
      service,
      address,
      token: ways.token,
      screen: firstScreen({ address, opsAddress: service.opsAddress, ...ways }),
      async close() {
        takeBack()
        await service.close()
      },
    }
  } catch (error) {
    await service.close()
    throw error
  }
}

/** Before the service opens: the data, a customer's key, and an operator, whose token of the time before is good no more. */
async function makeReady({ databaseUrl, dataDir, miljo }: Environment, ended: AbortSignal) {
  const clock = systemClock
  const storage = await openStorage({ databaseUrl, dataDir, applicationName: 'demo', poolMax: 2, ended })
  try {
    await fillDemo({ storage, clock })
    const ground = { db: storage.database, clock }
    const { token } = await issueKey(ground, { epost: 'demo@example.com', miljo })
    await revokeOperator(storage.database, OPERATOR, clock.now())
    const operator = await makeOperator(ground, { navn: OPERATOR, rolle: 'skrive' })
    return { token, operatorToken: operator.token }
  } finally {
    await storage.close()
  }
}

const OPERATOR = 'Demo'
