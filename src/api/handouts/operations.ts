import { BODIES, EXAMPLE_NAME, examplePath, QUESTIONS } from '#src/samples/questions.ts'
import { type ApiDocument, callsIn } from '../../http/api-document.ts'

/** One call of the published document, with everything it takes to try it on an invented company. */
export type HandoutOperation = {
  id: string
  method: string
  /** Filled in. */
  path: string
  summary: string
  query: { name: string; value: string; isNeeded: boolean }[]
  /** What has to be in its head besides the key. */
  headers: { name: string; value: string }[]
  body: unknown
}

/** A choice of fields to begin from; whoever sends the call as it stands gets all of them. */
const FELT = 'navn,status,roller'

/** Every call there is, in the order of the document. Pure. */
export function operationsIn(document: ApiDocument): HandoutOperation[] {
  return callsIn(document).map(({ path, method, operation, parameters }) => {
    const id = operation.operationId
    const asked = QUESTIONS[id] ?? {}
    const tried: Record<string, string> = { felt: FELT, ...asked }
    return {
      id,
      method: method.toUpperCase(),
      path: examplePath(path),
      summary: operation.summary ?? id,
      query: parameters
        .filter((parameter) => parameter.in === 'query')
        .map(({ name, required }) => ({
          name,
          value: tried[name] ?? '',
          isNeeded: required === true || name in asked,
        })),
      headers: parameters
        .filter((parameter) => parameter.in === 'header')
        .map(({ name }) => ({ name, value: EXAMPLE_NAME })),
      body: BODIES[id] ?? null,
    }
  })
}
