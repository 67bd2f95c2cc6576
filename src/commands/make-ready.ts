import { ConfigurationError } from '#src/core/errors.ts'
import { findBinaries } from '#src/embedded/binaries.ts'

/**
 * Right after an install, by whoever may write there: what npm could not carry of the embedded PostgreSQL is made. A machine
 * that has none is told so when it is started without a DATABASE_URL.
 */
try {
  await findBinaries()
} catch (error) {
  if (!(error instanceof ConfigurationError)) throw error
}
