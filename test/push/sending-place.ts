import { lookup } from 'node:dns/promises'
import { policy } from '#config/policy.ts'
import { changeId } from '#src/changes/change.ts'
import { systemClock } from '#src/core/clock.ts'
import { createLog } from '#src/core/log.ts'
import { createDeliver, type DeliverPolicy } from '#src/push/deliver.ts'
import { createResolve } from '#src/push/resolve.ts'
import { endpointSecret } from '#src/push/secrets.ts'
import { createSend } from '#src/push/send.ts'
import { writtenSecret } from '#src/push/signature.ts'
import type { NewChange } from '#src/storage/changes/change-log.ts'
import { putWatches } from '#src/storage/changes/watches.ts'
import type { Database } from '#src/storage/database.ts'
import { personSecret } from '#src/storage/person-secret.ts'
import { insertEndpoint } from '#src/storage/push/endpoints.ts'
import { fanOut } from '#src/storage/push/fan-out.ts'
import { dueEndpoints } from '#src/storage/push/sending.ts'
import type { WebhookReceiver } from '#test/support/webhook-receiver.ts'
import { writeInLog } from '#test/support/written-changes.ts'

const FAN_OUT = { changesMax: 200, deliveriesMax: 10_000 }
export const never = new AbortController().signal

/** What sends, on a database of the test's own, to receivers of its own. */
export function sendingPlace(database: Database, receiver: WebhookReceiver) {
  const deliverOf = (facts: Partial<DeliverPolicy> = {}, db: Database = database, clock = systemClock) => {
    const all = { ...policy.push, ...facts }
    return createDeliver({
      db,
      isErased: () => false,
      send: createSend({
        resolve: createResolve({ timeoutMs: 1000 }),
        named: [receiver.origin],
        lookUpNamed: async (host) => (await lookup(host)).address,
        policy: all,
        userAgent: 'Bedriftsoppslag',
      }),
      installationSecret: () => personSecret(db),
      publicUrl: () => 'https://oppslag.example',
      clock,
      log: createLog({ level: 'silent', file: null }),
      policy: all,
      random: () => 0.5,
    })
  }
  return {
    deliverOf,
    changed: (...changes: NewChange[]) => writeInLog(database, ...changes),
    async watch(eier: string, orgnrs: readonly string[], typer: string[] | null = null) {
      const wishes = orgnrs.map((orgnr) => ({ orgnr, navn: null, typer, epost: null }))
      await putWatches(database, { eier, prove: false }, wishes, { max: 10_000, at: new Date() })
    },
    async endpoint(eier: string, path = `/${eier}`, typer: string[] | null = null) {
      const placed = await insertEndpoint(
        database,
        { eier, prove: false, slutter: null, nokkel: null },
        { adresse: `${receiver.origin}${path}`, typer },
        { ofOwner: 10, ofTests: 10 },
      )
      if ('full' in placed) throw new Error('no room')
      const secret = writtenSecret(endpointSecret(await personSecret(database), placed.salt))
      return { id: placed.endpoint.id, path, secret }
    },
    fanOut: () => fanOut(database, FAN_OUT),
    /** Every due endpoint's turn, until nothing is due. */
    async deliverAll(facts: Partial<DeliverPolicy> = {}) {
      const { turn } = deliverOf(facts)
      while ((await fanOut(database, FAN_OUT)).hasMore);
      for (
        let due = await dueEndpoints(database, 1000);
        due.length > 0;
        due = await dueEndpoints(database, 1000)
      )
        await Promise.all(due.map(({ id }) => turn(id, { signal: never })))
    },
    /** As if so long had gone by since all that has happened, for PostgreSQL, whose clock is the one that counts. */
    async later(ms: number) {
      const ago = `$1 * interval '1 ms'`
      await database.query(
        `update levering set laget_at = laget_at - ${ago}, begynt_at = begynt_at - ${ago}, neste_at = neste_at - ${ago},
           ferdig_at = ferdig_at - ${ago}`,
        [ms],
      )
      await database.query(
        `update endepunkt set neste_at = neste_at - ${ago}, feilet_fra = feilet_fra - ${ago}, laas_til = laas_til - ${ago},
           forrige_til = forrige_til - ${ago}, levert_at = levert_at - ${ago}`,
        [ms],
      )
    },
    deliveries: (endepunkt: string) =>
      database.query<{
        id: string
        endring: string | null
        tilstand: string
        forsok: number
        logg: { arsak: string | null; status: number | null }[]
      }>('select id, endring, tilstand, forsok, logg from levering where endepunkt = $1 order by id', [
        endepunkt,
      ]),
    /** What is sent to it is called, in order. */
    async names(endepunkt: string) {
      const rows = await database.query<{ nr: string; sett: Date }>(
        `select e.nr, e.sett_at as sett from levering l join endring e on e.nr = l.endring where l.endepunkt = $1 order by l.id`,
        [endepunkt],
      )
      return rows.map(({ nr, sett }) => changeId({ nr: Number(nr), sett }))
    },
    endpointRow: async (id: string) =>
      (
        await database.query<{ av_grunn: string | null; feil: number; neste_om: number }>(
          `select av_grunn, feil, extract(epoch from neste_at - now())::float8 as neste_om from endepunkt where id = $1`,
          [id],
        )
      )[0],
  }
}
