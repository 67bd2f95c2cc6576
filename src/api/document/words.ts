import { changeWords } from './words/changes.ts'
import { commonWords } from './words/common.ts'
import { businessWords, companyWords } from './words/company.ts'
import { endpointWords } from './words/endpoints.ts'
import type { DocumentWords } from './words/kind.ts'
import { batchWords, manyWords } from './words/many.ts'
import { operationWords } from './words/operations.ts'
import { ownerWords } from './words/owners.ts'
import { peopleWords } from './words/people.ts'
import { searchWords } from './words/search.ts'

/** Everything the OpenAPI document says, in both languages. */
export const documentWords: DocumentWords = {
  ...operationWords,
  ...commonWords,
  ...companyWords,
  ...peopleWords,
  ...businessWords,
  ...ownerWords,
  ...searchWords,
  ...manyWords,
  ...batchWords,
  ...changeWords,
  ...endpointWords,
}
