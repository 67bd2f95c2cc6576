import type { ErrorObject } from 'ajv'

export type Manifest = {
  apiVersion: string
  kind: string
  metadata: { name: string; namespace?: string; labels?: Record<string, string> }
  // biome-ignore lint/suspicious/noExplicitAny: its shape is what is held against the schema
  [field: string]: any
}

/**
 * What is wrong with a manifest by Kubernetes' own description of its kind. The description does not forbid fields it does not
 * know, and the server drops them: so a field the check never looks at is told too, since that is how a misspelled probe
 * is lost.
 */
export async function faultsOf(manifest: Manifest): Promise<string[]> {
  const { validate } = await import(descriptionOf(manifest))
  const unseen = new Set(pathsOf(manifest, ''))
  validate(watched(manifest, '', (path) => unseen.delete(path)))
  const errors: ErrorObject[] = validate.errors ?? []
  return [
    ...errors.map(({ instancePath, message, keyword }) => `${instancePath}: ${message ?? keyword}`),
    ...[...unseen].map((path) => `${path}: no such field`),
  ]
}

const OPERATOR =
  '../../node_modules/@kubernetes-models/prometheus-operator/_schemas/ComGithubPrometheusOperatorPrometheusOperator'

/** Kubernetes' own, or that of the Prometheus operator. */
function descriptionOf({ apiVersion, kind }: Manifest): string {
  const [version, group = 'core'] = apiVersion.split('/').reverse()
  if (group === 'monitoring.coreos.com') {
    // The package names its models alone; what they are checked by lies beside them.
    return new URL(`${OPERATOR}PkgApisMonitoring${capitalised(version)}${kind}.js`, import.meta.url).href
  }
  const name = [group.split('.')[0], version, kind].map(capitalised).join('')
  return `kubernetes-models/_schemas/IoK8sApi${name}`
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
