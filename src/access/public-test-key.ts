import { readKey } from '#src/core/api-key.ts'
import type { ValidKey } from './verdict.ts'

/**
 * The key that everybody has: it stands in the documentation, is stored nowhere, never ends, and lets in to the invented
 * companies alone.
 */
export const PUBLIC_TEST_KEY = 'bo_test_OppslagProve_DenneNokkelenErForAlleOgSerBareOppdiktetDat2LHkoO'

const key = readKey(PUBLIC_TEST_KEY)
if (typeof key === 'string') throw new Error(`the public test key is no key: ${key}`)

export const publicTestKey: ValidKey = {
  id: key.id,
  miljo: key.miljo,
  right: key.id,
  utloper: new Date('2100-01-01T00:00:00Z'),
}
