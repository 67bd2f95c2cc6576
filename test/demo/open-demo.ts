import { type Environment, readEnvironment } from '#config/environment.ts'
import { issueKey } from '#src/access/issue-key.ts'
import { noteDemo } from '#src/commands/oppslag/beside-demo.ts'
import { type Clock, systemClock } from '#src/core/clock.ts'
import { makeOperator } from '#src/ops/operators.ts'
import { samplesAt } from '#src/samples/samples.ts'
import { putWatches } from '#src/storage/changes/watches.ts'
import { openStorage, type Storage } from '#src/storage/open-storage.ts'
import { revokeOperator } from '#src/storage/operators.ts'
import { openService, type Service } from '#src/wiring/service.ts'
import { demoMail } from '#test/support/demo-mail.ts'
import { startJudgedReceiver } from '#test/support/judged-receiver.ts'
import { makeEndpoint } from '#test/support/made-endpoint.ts'
import { startMailServer } from '#test/support/mail-server.ts'
import { startRegisterStandIn } from '#test/support/register-stand-in.ts'
import { seller, vippsVariables } from '#test/support/shop-service.ts'
import { startVippsStandIn } from '#test/support/vipps-stand-in.ts'
import { fillDemo } from './fill.ts'
import { firstScreen } from './first-screen.ts'
import { createHappenings } from './happenings.ts'
import { demoHappenings } from './happenings-page.ts'
import { misbehave } from './misbehave.ts'

export type Surroundings = Awaited<ReturnType<typeof startSurroundings>>

/** What the demo stands among: the registers, Vipps, a mail server and a customer's receiver, each a real server of this process. */
export async function startSurroundings(clock: Clock = systemClock) {
  const answers = samplesAt(clock.now())
  const [register, vipps, mail, receiver] = await Promise.all([
    startRegisterStandIn({ answers }),
    startVippsStandIn(),
    startMailServer(),
    startJudgedReceiver({ keptMax: ARRIVALS_KEPT_MAX }),
  ])
  return {
    register,
    vipps,
    mail,
    receiver,
    happenings: createHappenings(register, answers, clock.now),
    async close() {
      await Promise.all([register.close(), vipps.close(), mail.close(), receiver.close()])
    },
  }
}

const ARRIVALS_KEPT_MAX = 100

/** The whole service over the invented companies, with all an operator would have brought in, and ways in to both sides. */
export async function openDemo(
  env: Readonly<Record<string, string | undefined>>,
  { register, vipps, mail, receiver, happenings }: Surroundings,
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
    REGNSKAPSKOPI_CALLS_PER_SECOND: '1000',
    ...env,
    ...sends,
    KANARI: 'av',
    REGISTER_URL: register.registerUrl,
    KUNNGJORING_URL: register.kunngjoringUrl,
    KLASS_URL: register.klassUrl,
    WEBHOOK_HOSTS: receiver.origin,
    ...vippsVariables(vipps),
  })
  const ways = await makeReady(environment, { happenings, receiver }, ended)
  const service = await openService(environment, { workers: true, samplesAreRegistered: true, ended })
  try {
    await demoMail(service.app, mail)
    await demoHappenings(service.app, {
      happenings,
      mail,
      receiver,
      path: HOOK_PATH,
      ownPath: OWN_HOOK_PATH,
      token: ways.token,
      feedCall: () => feedCall,
    })
    const address = await service.listen()
    const feedCall = `curl -H 'Authorization: Bearer ${ways.token}' '${address}/api/endringer?vent=25'`
    const read = (orgnr: string) =>
      fetch(`${address}/api/bedrift/${orgnr}`, { headers: { authorization: `Bearer ${ways.token}` } }).then(
        (answer) => answer.text(),
      )
    // What happens to one that has been looked at is a change.
    for (const { orgnr } of happenings.choices) await read(orgnr)
    await misbehave(register, service, read)
    const takeBack = noteDemo(environment.dataDir, { address, variables: { ...sends, PUBLIC_URL: address } })
    return {
      service,
      address,
      token: ways.token,
      screen: firstScreen({ address, opsAddress: service.opsAddress, feedCall, ...ways }),
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

/** A key watches all that something can happen to, and is told by mail and by webhook. */
async function watchAll(
  { database }: Pick<Storage, 'database'>,
  eier: string,
  { happenings, receiver }: Pick<Surroundings, 'happenings' | 'receiver'>,
): Promise<void> {
  const wishes = happenings.choices.map(({ orgnr }) => ({
    orgnr,
    navn: null,
    typer: null,
    epost: 'straks' as const,
  }))
  await putWatches(database, { eier, prove: false }, wishes, { max: wishes.length, at: systemClock.now() })
  const { secret } = await makeEndpoint(database, eier, receiver.origin + HOOK_PATH)
  receiver.trust(HOOK_PATH, secret)
}

/** Before the service opens: the data, a customer's key, and an operator, whose token of the time before is good no more. */
async function makeReady(
  { databaseUrl, dataDir, miljo }: Environment,
  around: Pick<Surroundings, 'happenings' | 'receiver'>,
  ended: AbortSignal,
) {
  const clock = systemClock
  const storage = await openStorage({ databaseUrl, dataDir, applicationName: 'demo', poolMax: 2, ended })
  try {
    await fillDemo({ storage, clock })
    const ground = { db: storage.database, clock }
    await forgetWatchers(storage)
    const { token, id } = await issueKey(ground, { epost: CUSTOMER, miljo })
    await watchAll(storage, id, around)
    await revokeOperator(storage.database, OPERATOR, clock.now())
    const operator = await makeOperator(ground, { navn: OPERATOR, rolle: 'skrive' })
    return { token, operatorToken: operator.token }
  } finally {
    await storage.close()
  }
}

/** The key of the time before is not printed any more: what it watched, and where that was sent, goes with it. */
async function forgetWatchers({ database }: Storage): Promise<void> {
  for (const table of ['overvaking', 'endepunkt'])
    await database.query(
      `delete from ${table} where eier in (select kjede from api_nokkel where epost = $1)`,
      [CUSTOMER],
    )
}

const CUSTOMER = 'demo@example.com'
const OPERATOR = 'Demo'
/** Of the demo's endpoint, at its receiver; and of whoever wants one for a key of their own. */
const HOOK_PATH = '/mottak'
const OWN_HOOK_PATH = '/mitt'
