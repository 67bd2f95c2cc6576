import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePorts } from '#test/support/free-ports.ts'
import { on } from '../process/machine.ts'

export type Nginx = {
  address: string
  /** CPU time of its one process, to the hundredth of a second. */
  cpuMs(): Promise<number>
  stop(): Promise<void>
}

/** nginx that keeps the record and each key's verdict in its cache; null when there is no nginx on this machine. */
export async function startNginx(given: {
  folder: string
  record: Buffer
  token: string
}): Promise<Nginx | null> {
  if (spawnSync('nginx', ['-v']).status !== 0) return null
  const folder = join(given.folder, 'nginx')
  mkdirSync(folder)
  const origin = await startOrigin(given.record, given.token)
  const [port = 0] = await freePorts(1)
  writeFileSync(join(folder, 'nginx.conf'), configuration(folder, port, portOf(origin)))
  const [command, parameters] = on('measured', 'nginx', '-e', 'stderr', '-p', folder, '-c', 'nginx.conf')
  const child = spawn(command, parameters, { stdio: ['ignore', 'inherit', 'inherit'] })
  const address = `http://127.0.0.1:${port}`
  for (let tries = 0; tries < 50 && !(await answers(address)); tries++) await pause(100)

  return {
    address,
    cpuMs: async () => cpuMsOf(child.pid),
    async stop() {
      const exit = once(child, 'exit')
      child.kill('SIGTERM')
      await exit
      origin.closeAllConnections()
      origin.close()
    },
  }
}

function configuration(folder: string, port: number, originPort: number): string {
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  return `
daemon off;
master_process off;
pid ${folder}/pid;
events { worker_connections 2048; }
http {
  ${paths.join('\n  ')}
  access_log ${folder}/access.log combined buffer=64k;
  keepalive_requests 100000000;
  proxy_cache_path ${folder}/cache keys_zone=records:10m;
  server {
    listen 127.0.0.1:${port};
    location /api/ {
      auth_request /verdict;
      proxy_pass http://127.0.0.1:${originPort};
      proxy_cache records;
      proxy_cache_key $uri;
      proxy_cache_valid 200 1h;
    }
    location = /verdict {
      internal;
      proxy_pass http://127.0.0.1:${originPort}/verdict;
      proxy_pass_request_body off;
      proxy_set_header Content-Length "";
      proxy_cache records;
      proxy_cache_key "verdict $http_authorization";
      proxy_cache_valid 200 1m;
    }
  }
}
`
}

async function startOrigin(record: Buffer, token: string): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.headers.authorization !== `Bearer ${token}`) response.writeHead(401).end()
    else if (request.url === '/verdict') response.writeHead(200, { 'content-length': 0 }).end()
    else {
      const type = 'application/json; charset=utf-8'
      response.writeHead(200, { 'content-type': type, 'content-length': record.length }).end(record)
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

function portOf(server: { address(): unknown }): number {
  return (server.address() as { port: number }).port
}

async function answers(address: string): Promise<boolean> {
  return fetch(`${address}/api/`).then(
    () => true,
    () => false,
  )
}

/** proc(5): utime and stime are the 14th and 15th field, in hundredths of a second; the second may have spaces. */
function cpuMsOf(pid: number | undefined): number {
  const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(/\) /)
  const fields = rest.split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}
