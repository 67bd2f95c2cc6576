import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { BlockList } from 'node:net'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { variables } from '#config/environment.ts'
import { policy } from '#config/policy.ts'
import { readEndpointAddress } from '#src/push/endpoint-address.ts'
import { allMetrics } from './all-metrics.ts'
import { faultsOf, type Manifest } from './kubernetes-schema.ts'

const project = new URL('../../', import.meta.url)
const base = new URL('config/kubernetes/base/', project)
const release: string = JSON.parse(read('package.json')).version
const manifests = readdirSync(base)
  .filter((file) => file !== 'kustomization.yaml')
  .sort()
  .flatMap((file) => documentsOf(read(`config/kubernetes/base/${file}`)))
const monitor = documentsOf(read('config/kubernetes/production/pod-monitor.yaml'))
const hasKustomize = /Kustomize Version: v5/.test(
  spawnSync('kubectl', ['version', '--client'], { encoding: 'utf8' }).stdout ?? '',
)
const named = [...manifests, ...monitor].map((manifest) => ({
  name: `${manifest.kind} ${manifest.metadata.name}`,
  manifest,
}))
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

    it('P39: is asked whether it lives and whether it is ready at the port where no stranger asks', () => {
      for (const { httpGet } of [container.livenessProbe, container.readinessProbe])
        expect(httpGet.port).toBe('ops')
    })

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

    it('P72: says what it needs and is held to its memory', () => {
      expect(container.resources).toMatchObject({
        requests: { cpu: expect.anything(), memory: expect.anything() },
        limits: { memory: expect.anything() },
      })
    })

    it('has the time to drain and close', () => {
      const { graceMs } = policy.shutdown
      expect(manifest.spec.template.spec.terminationGracePeriodSeconds * 1000).toBeGreaterThan(graceMs)
    })

    it('is scaled, spread over machines, and drained one at a time', () => {
      const scaler = of('HorizontalPodAutoscaler').find(({ spec }) => spec.scaleTargetRef.name === part)
      expect(scaler?.spec.minReplicas).toBeGreaterThanOrEqual(2)
      // A number here would undo the scaler's at every release.
      expect(manifest.spec.replicas).toBeUndefined()
      const budget = of('PodDisruptionBudget').find(({ metadata }) => metadata.name === part)
      expect(budget?.spec).toEqual({ maxUnavailable: 1, selector: manifest.spec.selector })
      expect(manifest.spec.selector.matchLabels).toEqual(manifest.spec.template.metadata.labels)
      expect(manifest.spec.template.spec.topologySpreadConstraints).toEqual([
        {
          maxSkew: 1,
          topologyKey: 'kubernetes.io/hostname',
          whenUnsatisfiable: 'ScheduleAnyway',
          labelSelector: manifest.spec.selector,
        },
      ])
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
    it('P72: is not root, writes nowhere but where it is told, and is given no power', () => {
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
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
      expect(container.image).toBe(`bedriftsoppslag:${release}`)
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

  it('P124: a webhook leaves by each port that an endpoint may have', () => {
    const out = of('NetworkPolicy').find(({ metadata }) => metadata.name === 'out')
    const open = out?.spec.egress.flatMap(({ ports }: { ports: { port: number }[] }) =>
      ports.map(({ port }) => port),
    )
    for (let port = 1; port < 65_536; port += 1) {
      const isTaken = 'address' in readEndpointAddress(`https://mottaker.example:${port}/`, [])
      if (isTaken) expect(open).toContain(port)
    }
  })

  it('P72: nothing is open that is not opened', () => {
    const [nobody] = of('NetworkPolicy').filter(({ metadata }) => metadata.name === 'nobody')
    expect(nobody?.spec).toEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] })
  })

  it('each release has a migration of its own, and what goes before the processes is told apart', () => {
    const [namespace] = of('Namespace')
    expect(of('Job').map(({ metadata }) => metadata.name)).toEqual([`oppslag-migrate-${release}`])
    expect(namespace?.metadata.labels?.['app.kubernetes.io/version']).toBe(release)
    const before = manifests.filter(({ metadata }) => metadata.labels?.step === 'before')
    expect(before.map(({ kind }) => kind)).toEqual(
      manifests
        .map(({ kind }) => kind)
        .filter((kind) => /^(Namespace|ConfigMap|Job|NetworkPolicy)$/.test(kind)),
    )
  })

  describe.each(['small', 'production'])('the overlay %s', (overlay) => {
    const file = `config/kubernetes/${overlay}/kustomization.yaml`
    const { resources, images, patches } = parse(read(file))

    it('stands on the base, and runs this release', () => {
      expect(resources).toContain('../base')
      expect(images).toEqual([expect.objectContaining({ name: 'bedriftsoppslag', newTag: release })])
      for (const each of resources) expect(existsSync(new URL(each, new URL(file, project))), each).toBe(true)
    })

    it('believes no more than one machine’s worth of addresses, and sets only variables there are', () => {
      const set = patches
        .filter(({ target }: { target: Target }) => target.kind === 'ConfigMap')
        .flatMap(({ patch }: { patch: string }) => parse(patch))
        .map(({ path, value }: { path: string; value: string }) => [path.replace('/data/', ''), value])
      const { TRUST_PROXY = '', ...others } = Object.fromEntries(set)
      const [network, bits] = TRUST_PROXY.split('/')
      new BlockList().addSubnet(network, Number(bits))
      expect(Number(bits)).toBeGreaterThanOrEqual(24)
      for (const name of Object.keys(others))
        expect(Object.keys(variables)).toContain(name.replace(/_FILE$/, ''))
    })

    it('changes only what there is', () => {
      for (const { target } of patches as { target: Target }[]) {
        const found = of(target.kind).filter(
          ({ metadata }) => metadata.name === (target.name ?? metadata.name),
        )
        expect(found.length, JSON.stringify(target)).toBeGreaterThan(0)
      }
    })

    describe.skipIf(!hasKustomize)('as kubectl builds it (needs kubectl with kustomize 5)', () => {
      let built: Manifest[]
      beforeAll(() => {
        const folder = fileURLToPath(new URL(`config/kubernetes/${overlay}`, project))
        const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', folder], { encoding: 'utf8' })
        expect(stderr).toBe('')
        expect(status).toBe(0)
        built = documentsOf(stdout)
      })

      it('is what Kubernetes says such things look like', async () => {
        for (const manifest of built)
          expect(await faultsOf(manifest), `${manifest.kind} ${manifest.metadata.name}`).toEqual([])
      })

      it('has what such a place needs', () => {
        const kinds = built.map(({ kind }) => kind)
        const isSmall = overlay === 'small'
        for (const kind of ['PodDisruptionBudget', 'HorizontalPodAutoscaler', 'PodMonitor'])
          expect(kinds.includes(kind), kind).toBe(!isSmall)
        const processes = built.filter(({ kind }) => kind === 'Deployment')
        expect(processes.map(({ spec }) => spec.replicas)).toEqual(isSmall ? [1, 1] : [undefined, undefined])
        for (const { spec } of processes)
          expect(spec.template.spec.topologySpreadConstraints).toHaveLength(isSmall ? 1 : 2)
        expect(built.filter(({ kind }) => kind === 'Job')).toMatchObject([
          { metadata: { name: `oppslag-migrate-${release}` } },
        ])
      })
    })
  })

  it('the operator’s Prometheus finds the port and the job the alerts look for', () => {
    const [{ spec }] = monitor as [Manifest]
    const [endpoint] = spec.podMetricsEndpoints
    const watched = pods.filter(({ container }) =>
      (container.ports ?? []).some(({ name }: { name: string }) => name === endpoint.port),
    )
    expect(spec.selector.matchExpressions[0].values).toEqual(watched.map(({ part }) => part))
    expect(read('config/alerts.yaml')).toContain(`job="${endpoint.relabelings[0].replacement}"`)
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

type Target = { kind: string; name?: string }

function documentsOf(text: string): Manifest[] {
  return parseAllDocuments(text).map((each) => each.toJS() as Manifest)
}

function read(file: string): string {
  return readFileSync(new URL(file, project), 'utf8')
}
