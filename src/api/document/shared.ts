import type { Json } from './shapes.ts'

type Operation = { parameters?: Json[]; responses: Record<string, Response> }
type Response = Json & { headers?: Record<string, Json> }

/** Headers, answers and parameters that several addresses have are written once, and referred to. */
export function shareAll(paths: Json): { paths: Json; components: Json } {
  const operations = Object.values(paths).flatMap((methods) =>
    Object.values(methods as object),
  ) as Operation[]

  const headers = createShelf('headers')
  const responses = createShelf('responses')
  const parameters = createShelf('parameters')
  for (const { responses: each } of operations)
    for (const response of Object.values(each))
      for (const [name, header] of Object.entries(response.headers ?? {})) headers.count(name, header)
  for (const operation of operations)
    operation.responses = changed(operation.responses, (_, response) =>
      response.headers === undefined
        ? response
        : { ...response, headers: changed(response.headers, headers.place) },
    )
  for (const { responses: each } of operations)
    for (const [status, response] of Object.entries(each)) responses.count(`Svar${status}`, response)
  for (const operation of operations) {
    operation.responses = changed(operation.responses, (status, response) =>
      responses.place(`Svar${status}`, response),
    ) as Record<string, Response>
    for (const each of operation.parameters ?? []) parameters.count(String(each.name), each)
  }
  for (const operation of operations)
    if (operation.parameters !== undefined)
      operation.parameters = operation.parameters.map((each) => parameters.place(String(each.name), each))
  return {
    paths,
    components: { parameters: parameters.all(), headers: headers.all(), responses: responses.all() },
  }
}

type Counted = { name: string; times: number; value: Json }

/** What is counted more than once has a place here; of several that have one name, those after the first are numbered. */
function createShelf(kind: string) {
  const counted = new Map<string, Counted>()
  const placed = () => [...counted.values()].filter(({ times }) => times > 1)
  const placeOf = (seen: Counted): string => {
    const others = placed().filter(({ name }) => name === seen.name)
    return others[0] === seen ? seen.name : `${seen.name}-${others.indexOf(seen) + 1}`
  }

  return {
    count(name: string, value: Json): void {
      const text = `${name} ${JSON.stringify(value)}`
      const seen = counted.get(text)
      counted.set(text, { name, times: (seen?.times ?? 0) + 1, value: seen?.value ?? value })
    },
    place(name: string, value: Json): Json {
      const seen = counted.get(`${name} ${JSON.stringify(value)}`)
      return seen !== undefined && seen.times > 1 ? { $ref: `#/components/${kind}/${placeOf(seen)}` } : value
    },
    all: (): Json => Object.fromEntries(placed().map((each) => [placeOf(each), each.value])),
  }
}

function changed<V, W>(of: Record<string, V>, make: (key: string, value: V) => W): Record<string, W> {
  return Object.fromEntries(Object.entries(of).map(([key, value]) => [key, make(key, value)]))
}
