import { type CacheOrder, giveCacheOrder } from '../cache-orders.ts'
import { TABLE_NAMES, tableOf } from './delivery-tables.ts'
import { eraseFromDelivery } from './erase-company.ts'
import { HOLDER_SECTIONS } from './hidden-persons.ts'
import { type ImportSession, listRemovedCompanies } from './import-session.ts'

/** What is told of a delivery that has become its year's. */
type DeliveryFacts = {
  aar: number
  sha256: string
  overskrift: string
  rader: number
  avviste: number
  selskaper: number
  eierforhold: number
}

/** What processes hold of holders is served as stale and looked up again. */
export const RENEW_HOLDERS: CacheOrder = { company: '', sections: HOLDER_SECTIONS, isHard: false }

/**
 * Makes a loaded delivery its year's, and the one before it replaced: one short transaction, so that a reader sees all of the
 * old or all of the new, also when the process is killed in it. Readers are not held up: the tables join their parents in a mode
 * that lets them through.
 *
 * Companies removed since the load began are taken out first; nobody is removed during the transaction, so that whoever erases
 * a company afterwards finds this delivery.
 *
 * @param removedUntil the last removal that was heeded in loading
 */
export async function publishYear(
  session: ImportSession,
  leveranse: number,
  facts: DeliveryFacts,
  removedUntil: number,
): Promise<void> {
  await session.transaction(async (connection) => {
    await connection.query('lock table fjernet in share mode')
    for (const table of TABLE_NAMES) {
      await connection.query(
        `alter table ${table} attach partition ${tableOf(table, leveranse)} for values in (${leveranse})`,
      )
    }
    const { companies } = await listRemovedCompanies(connection, removedUntil)
    for (const orgnr of companies) await eraseFromDelivery(connection, leveranse, orgnr)
    await connection.query(
      `update aksjeleveranse set tilstand = 'erstattet', erstattet_at = clock_timestamp()
       where aar = $1 and tilstand = 'gjeldende'`,
      [facts.aar],
    )
    await connection.query(
      `update aksjeleveranse
       set tilstand = 'gjeldende', gjeldende_at = clock_timestamp(), sha256 = $2, overskrift = $3, rader = $4, avviste = $5,
           selskaper = $6, eierforhold = $7
       where id = $1`,
      [
        leveranse,
        facts.sha256,
        facts.overskrift,
        facts.rader,
        facts.avviste,
        facts.selskaper,
        facts.eierforhold,
      ],
    )
    await giveCacheOrder(connection, RENEW_HOLDERS)
  })
}
