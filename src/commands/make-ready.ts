import { ConfigurationError } from '#src/core/errors.ts'
import { findBinaries } from '#src/embedded/binaries.ts'
// Compiled by that, and kept by Node as this process ends: seconds on a slow machine, which the first to end would take otherwise.
import '#src/wiring/service.ts'

/**
 * Right after an install, by whoever may write there: what npm could not carry of the embedded PostgreSQL is made. A machine
 * that has none is told so when it is started without a DATABASE_URL.
 */
try {
  await findBinaries()
} catch (error) {
  if (!(error instanceof ConfigurationError)) throw error
}
