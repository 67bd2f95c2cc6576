import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { variables } from '#config/environment.ts'
import { policy } from '#config/policy.ts'
import { allMetrics } from './all-metrics.ts'
import { faultsOf, type Manifest } from './kubernetes-schema.ts'

const project = new URL('../../', import.meta.url)
const folder = new URL('config/kubernetes/', project)
const manifests = readdirSync(folder)
  .sort()
  .flatMap((file) =>
    parseAllDocuments(read(`config/kubernetes/${file}`)).map((each) => each.toJS() as Manifest),
  )
const named = manifests.map((manifest) => ({ name: `${manifest.kind} ${manifest.metadata.name}`, manifest }))
const of = (kind: string) => manifests.filter((manifest) => manifest.kind === kind)
const deployments = of('Deployment').map((manifest) => ({ part: manifest.metadata.name, manifest }))
const pods = [...of('Deployment'), ...of('Job')].map(({ metadata, spec }) => ({
  part: metadata.name,
  pod: spec.template.spec,
  container: spec.template.spec.containers[0],
}))

describe('config/kubernetes', () => {
  describe.each(named)('$name', ({ manifest }) => {
    it('is what Kubernetes says such a thing looks like', async () => {
      expect(await faultsOf(manifest)).toEqual([])
    })
    it('is in our namespace', () => {
      const { kind, metadata } = manifest
      expect(kind === 'Namespace' ? metadata.name : metadata.namespace).toBe('bedriftsoppslag')
    })
  })

  it('a field that is misspelled is found, and so is one of the wrong type', async () => {
    const [deployment] = of('Deployment')
    const wrong = structuredClone(deployment) as Manifest
    const [container] = wrong.spec.template.spec.containers
    container.readynessProbe = container.readinessProbe
    container.livenessProbe.periodSeconds = 'ten'
    const faults = await faultsOf(wrong)
    expect(faults).toContain('/spec/template/spec/containers/0/readynessProbe: no such field')
    expect(faults.join()).toMatch(/livenessProbe\/periodSeconds/)
  })

  describe.each(deployments)('the deployment $part', ({ part, manifest }) => {
    const [container] = manifest.spec.template.spec.containers
    const ports: { name: string; containerPort: number }[] = container.ports

    it('is asked whether it lives and whether it is ready, at ports it has', () => {
      expect(container.livenessProbe.httpGet.path).toBe('/health/live')
      expect(container.readinessProbe.httpGet.path).toBe('/health/ready')
      for (const probe of [container.livenessProbe, container.readinessProbe, container.startupProbe]) {
        if (probe !== undefined) expect(ports.map(({ name }) => name)).toContain(probe.httpGet.port)
      }
      for (const { name, containerPort } of ports) {
        const { standard } = name === 'http' ? variables.PORT : variables.OPS_PORT
        expect(containerPort).toBe(Number(standard))
      }
    })

    it('says what it needs and is held to its memory', () => {
      expect(container.resources).toMatchObject({
        requests: { cpu: expect.anything(), memory: expect.anything() },
        limits: { memory: expect.anything() },
      })
    })

    it('has the time to drain and close', () => {
      const { graceMs } = policy.shutdown
      expect(manifest.spec.template.spec.terminationGracePeriodSeconds * 1000).toBeGreaterThan(graceMs)
    })

    it('is scaled, and never without at least one', () => {
      const scaler = of('HorizontalPodAutoscaler').find(({ spec }) => spec.scaleTargetRef.name === part)
      expect(scaler?.spec.minReplicas).toBeGreaterThanOrEqual(2)
      // A number here would undo the scaler's at every release.
      expect(manifest.spec.replicas).toBeUndefined()
      const budget = of('PodDisruptionBudget').find(({ metadata }) => metadata.name === part)
      expect(budget?.spec.minAvailable).toBe(1)
      for (const each of [budget, manifest]) {
        expect(each?.spec.selector.matchLabels).toEqual(manifest.spec.template.metadata.labels)
      }
    })

    it('tells Prometheus where its metrics are', () => {
      expect(manifest.spec.template.metadata.annotations).toEqual({
        'prometheus.io/scrape': 'true',
        'prometheus.io/port': variables.OPS_PORT.standard,
        'prometheus.io/path': '/metrics',
      })
    })
  })

  describe.each(pods)('the pod of $part', ({ pod, container }) => {
    it('is not root, writes nowhere but where it is told, and is given no power', () => {
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: {
          runAsNonRoot: true,
          runAsUser: 1000,
          fsGroup: 1000,
          seccompProfile: { type: 'RuntimeDefault' },
        },
      })
      expect(container.securityContext).toEqual({
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      })
    })

    it('runs this release, from a script there is, with variables there are', () => {
      expect(container.image).toBe(`bedriftsoppslag:${JSON.parse(read('package.json')).version}`)
      for (const script of container.args ?? []) expect(existsSync(new URL(script, project))).toBe(true)
      const [config] = of('ConfigMap')
      const given = [
        ...Object.keys(config?.data ?? {}),
        ...(container.env ?? []).map(({ name }: { name: string }) => name),
      ]
      for (const name of given) expect(Object.keys(variables)).toContain(name.replace(/_FILE$/, ''))
    })

    it('reads its secrets as files that others can not read', () => {
      const secrets = pod.volumes.find(({ name }: { name: string }) => name === 'secrets').secret
      expect(secrets.defaultMode).toBe(0o440)
      const mount = container.volumeMounts.find(({ name }: { name: string }) => name === 'secrets')
      const [config] = of('ConfigMap')
      const files = Object.entries<string>(config?.data ?? {}).filter(([name]) => name.endsWith('_FILE'))
      expect(files.length).toBeGreaterThan(0)
      for (const [, path] of files) expect(path.startsWith(`${mount.mountPath}/`)).toBe(true)
    })
  })

  it('a service and the network rules name ports that pods have', () => {
    const ports = new Set(
      pods.flatMap(({ container }) => (container.ports ?? []).map(({ name }: { name: string }) => name)),
    )
    for (const { spec } of of('Service'))
      for (const { targetPort } of spec.ports) expect(ports).toContain(targetPort)
    const open = of('NetworkPolicy').flatMap(({ spec }) => spec.ingress ?? [])
    for (const { ports: allowed } of open) for (const { port } of allowed) expect(ports).toContain(port)
  })

  it('nothing is open that is not opened', () => {
    const [nobody] = of('NetworkPolicy').filter(({ metadata }) => metadata.name === 'nobody')
    expect(nobody?.spec).toEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] })
  })

  describe('what the scalers look at', () => {
    const adapter = parse(read('config/prometheus-adapter.yaml'))
    const offered: { seriesQuery: string; name: { as: string } }[] = [
      ...adapter.rules.custom,
      ...adapter.rules.external,
    ]
    let names: string[]
    beforeAll(() => {
      const metrics = allMetrics()
      names = metrics.registry.getMetricsAsArray().map(({ name }) => name)
      metrics.close()
    })

    it('is what the adapter makes', () => {
      const wanted = of('HorizontalPodAutoscaler')
        .flatMap(({ spec }) => spec.metrics)
        .flatMap(({ pods: own, external }) => [own, external])
        .flatMap((source) => source?.metric.name ?? [])
      expect(wanted.sort()).toEqual(offered.map(({ name }) => name.as).sort())
    })

    it('is made of metrics there are', () => {
      for (const { seriesQuery } of offered) {
        expect(names).toContain(seriesQuery.replace(/\{.*/, '').replace(/_count$/, ''))
      }
    })
  })
})

function read(file: string): string {
  return readFileSync(new URL(file, project), 'utf8')
}
