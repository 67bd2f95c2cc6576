import { SAMPLE } from '#src/samples/numbers.ts'
import { QUESTIONS } from '#src/samples/questions.ts'

/** One call of the published document, with everything it takes to try it on an invented company. */
export type Operation = {
  id: string
  method: 'GET' | 'POST'
  /** Filled in. */
  path: string
  summary: string
  query: { name: string; value: string; isNeeded: boolean }[]
  body: unknown
}

type Json = Record<string, unknown>

/** A choice of fields to begin from; whoever sends the call as it stands gets all of them. */
const FELT = 'navn,status,roller'

/** Every call there is, in the order of the document. Pure. */
export function operationsIn(document: Json): Operation[] {
  const shared = (document.components as { parameters?: Record<string, Json> } | undefined)?.parameters ?? {}
  const resolved = (parameter: Json): Json =>
    typeof parameter.$ref === 'string' ? (shared[parameter.$ref.split('/').at(-1) ?? ''] ?? {}) : parameter
  return Object.entries(document.paths as Record<string, Record<string, Json>>).flatMap(
    ([template, methods]) =>
      Object.entries(methods).map(([method, operation]): Operation => {
        const id = String(operation.operationId)
        const asked = QUESTIONS[id] ?? {}
        const tried: Record<string, string> = { felt: FELT, ...asked }
        const parameters = ((operation.parameters ?? []) as Json[]).map(resolved)
        return {
          id,
          method: method === 'post' ? 'POST' : 'GET',
          path: template.replace('{orgnr}', SAMPLE.healthy),
          summary: String(operation.summary),
          query: parameters
            .filter((parameter) => parameter.in === 'query')
            .map(({ name, required }) => ({
              name: String(name),
              value: tried[String(name)] ?? '',
              isNeeded: required === true || String(name) in asked,
            })),
          body: operation.requestBody === undefined ? null : [SAMPLE.healthy, SAMPLE.bankrupt],
        }
      }),
  )
}
