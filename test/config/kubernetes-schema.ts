import type { ErrorObject } from 'ajv'

export type Manifest = {
  apiVersion: string
  kind: string
  metadata: { name: string; namespace?: string }
  // biome-ignore lint/suspicious/noExplicitAny: its shape is what is held against the schema
  [field: string]: any
}

/**
 * What is wrong with a manifest by Kubernetes' own description of its kind. The description does not forbid fields it does not
 * know, and the server drops them: so a field the check never looks at is told too, since that is how a misspelled probe
 * is lost.
 */
export async function faultsOf(manifest: Manifest): Promise<string[]> {
  const [version, group = 'core'] = manifest.apiVersion.split('/').reverse()
  const kind = [group.split('.')[0], version, manifest.kind].map(capitalised).join('')
  const { validate } = await import(`kubernetes-models/_schemas/IoK8sApi${kind}`)
  const unseen = new Set(pathsOf(manifest, ''))
  validate(watched(manifest, '', (path) => unseen.delete(path)))
  const errors: ErrorObject[] = validate.errors ?? []
  return [
    ...errors.map(({ instancePath, message, keyword }) => `${instancePath}: ${message ?? keyword}`),
    ...[...unseen].map((path) => `${path}: no such field`),
  ]
}

function pathsOf(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => [
    `${path}/${name}`,
    ...pathsOf(inner, `${path}/${name}`),
  ])
}

function watched<T>(value: T, path: string, onSeen: (path: string) => void): T {
  if (typeof value !== 'object' || value === null) return value
  return new Proxy(value, {
    get(target, name) {
      const inner = Reflect.get(target, name)
      if (typeof name === 'symbol') return inner
      onSeen(`${path}/${name}`)
      return watched(inner, `${path}/${name}`, onSeen)
    },
  })
}

function capitalised(word = ''): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1)
}
