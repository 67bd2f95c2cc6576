import { policy } from '#config/policy.ts'
import type { Log } from '#src/core/log.ts'
import { createHeldDeliveries } from '#src/record/held-deliveries.ts'
import type { PersonIds } from '#src/record/person-ids.ts'
import { createShareRegister } from '#src/record/share-register.ts'
import type { createTombstones } from '#src/record/tombstones.ts'
import { createGuard } from '#src/sources/guard.ts'
import { archiveSources, forEach, keptOf } from '#src/sources/index.ts'
import type { Database } from '#src/storage/database.ts'
import { readBooks } from '#src/storage/shareholders/read-books.ts'
import { readDeliveries } from '#src/storage/shareholders/read-deliveries.ts'
import { readHolderPage } from '#src/storage/shareholders/read-holder-page.ts'
import { readOwnershipBooks, readOwnershipEdges } from '#src/storage/shareholders/read-ownership-rows.ts'
import type { OpenedThings } from './opened.ts'

/** The shareholder register we keep ourselves, behind guards like any other source: it may not take the database from the keys. */
export async function openArchive({
  tombstones,
  opened,
  ...years
}: {
  database: Database
  personIds: () => PersonIds
  tombstones: Pick<ReturnType<typeof createTombstones>, 'isErased'>
  onChange: () => void
  log: Log
  opened: OpenedThings
}) {
  const { deliveries, register } = createArchive({ ...years, isErased: tombstones.isErased })
  opened.keep('shareholder years', deliveries)
  await deliveries.start()
  const guards = forEach(archiveSources, (name) => createGuard(name, keptOf(name).guard))
  return { register, guards }
}

/** The years there are, which whoever calls this starts and closes, and what is read of them, with nothing between. */
export function createArchive({
  database,
  isErased,
  personIds,
  onChange,
  log,
}: {
  database: Database
  isErased: (orgnr: string) => boolean
  personIds: () => PersonIds
  onChange: () => void
  log: Log
}) {
  const deliveries = createHeldDeliveries({
    read: () => readDeliveries(database),
    onChange,
    log,
    policy: policy.shareholders,
  })
  const register = createShareRegister({
    deliveries,
    storage: {
      books: (orgnr, ids) => readBooks(database, orgnr, ids),
      page: (at) => readHolderPage(database, at),
      ownershipBooks: (id, orgnrs) => readOwnershipBooks(database, id, orgnrs),
      ownershipEdges: (id, owners) => readOwnershipEdges(database, id, owners),
    },
    isErased,
    personIds,
  })
  return { deliveries, register }
}
