import type { TestService } from './service.ts'

/** One call of the documentation as it stands there, with the public test key, and the status it is to be answered with. */
type DocumentedCall = { name: string; good: number; send(): Promise<Response> }

/** Every call there is, taken from the Postman collection, which is made from the document. */
export async function documentedCalls(service: Pick<TestService, 'getBare'>): Promise<DocumentedCall[]> {
  const { body: collection } = await service.getBare('/dokumentasjon/postman.json')
  const variables = valuesOf(collection.variable)
  const filled = (text: string) => text.replace(/\{\{(\w+)\}\}/g, (_, name) => variables[name] ?? '')
  const authorization = `Bearer ${filled(collection.auth.bearer[0].value)}`
  return collection.item.map(({ name, request }: { name: string; request: Request }) => ({
    name,
    good: goodStatus(name, request.method),
    send: () =>
      fetch(filled(request.url.raw), {
        method: request.method,
        headers: { authorization, ...valuesOf(request.header) },
        ...(request.body && { body: request.body.raw }),
      }),
  }))
}

type Named = { key: string; value: string }
type Request = { method: string; url: { raw: string }; header: Named[]; body?: { raw: string } }

function valuesOf(named: readonly Named[]): Record<string, string> {
  return Object.fromEntries(named.map(({ key, value }) => [key, value]))
}

function goodStatus(name: string, method: string): number {
  if (/opprettEndepunkt/.test(name)) return 201
  if (/bestillMange|provEndepunkt|sendIgjen/.test(name)) return 202
  return method === 'DELETE' ? 204 : 200
}
