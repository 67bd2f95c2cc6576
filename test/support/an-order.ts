import type { Database } from '#src/storage/database.ts'
import { putErrand } from '#src/storage/errands.ts'
import { insertOrder } from '#src/storage/orders.ts'

export const AN_ORDER = 'abcde12345'

/** An order nobody has paid yet, by Kari@example.no, and a receipt of it that waits to be mailed. */
export async function putAnOrder(database: Database): Promise<void> {
  const at = new Date('2026-11-01T08:00:00Z')
  await insertOrder(database, {
    id: AN_ORDER,
    referanse: `oppslag-${AN_ORDER}`,
    miljo: 'test',
    produkt: 'nøkkel',
    belopOre: 49_900,
    valuta: 'NOK',
    salg: null,
    fornyer: null,
    laget: at,
    epost: 'Kari@example.no',
    tokenHash: Buffer.alloc(32, 7),
    nettverk: null,
    vilkaarGodtatt: at,
    nesteSjekk: at,
  })
  await putErrand(
    database,
    { slag: 'kvittering', gjelder: AN_ORDER, nr: 1, notBefore: new Date('2099-01-01') },
    at,
  )
}
