import { openConnection } from './connection.ts'
import { type Course, closedLoop, openLoop, type Run } from './loops.ts'
import type { LoadOrder, LoadReport } from './order.ts'

/** Door: the process the load comes from. One order at a time. */
process.on('message', async (order: LoadOrder) => {
  try {
    const run = await carryOut(order)
    process.send?.({ report: reportOf(run, order) })
  } catch (error) {
    process.send?.({ failed: String(error) })
  }
})
process.once('disconnect', () => process.exit())

async function carryOut(order: LoadOrder): Promise<Run> {
  const requests = order.isConditional ? await conditional(order) : inTurn(order)
  const course: Course = {
    addresses: order.addresses,
    requests,
    connections: order.connections,
    isRight: ({ status, head }) => status === order.status && head.includes(order.headHas ?? ''),
  }
  return 'perSecond' in order.pace ? openLoop(course, order.pace) : closedLoop(course, order.pace)
}

/** Each path, and each key, as many times as the other needs. */
function inTurn(order: LoadOrder): Buffer[] {
  const { paths, tokens } = order
  if (tokens === undefined) return paths.map((path) => write(order, path))
  return Array.from({ length: Math.max(paths.length, tokens.length) }, (_, index) =>
    write(order, paths[index % paths.length] ?? '', {
      authorization: `Bearer ${tokens[index % tokens.length]}`,
    }),
  )
}

/** With the entity tag each path has now. */
async function conditional(order: LoadOrder): Promise<Buffer[]> {
  const failure = Promise.withResolvers<never>()
  const connection = await openConnection(order.addresses[0] ?? '', failure.reject)
  const requests: Buffer[] = []
  for (const path of order.paths) {
    const answer = new Promise<string>((resolve) =>
      connection.ask(write(order, path), ({ head }) => resolve(head)),
    )
    const etag = /\r\netag: *(\S+)/i.exec(await Promise.race([answer, failure.promise]))?.[1] ?? ''
    requests.push(write(order, path, { 'if-none-match': etag }))
  }
  connection.close()
  return requests
}

function write(
  { addresses, headers, body }: LoadOrder,
  path: string,
  more: Record<string, string> = {},
): Buffer {
  const ours =
    body === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }
  const { host } = new URL(addresses[0] ?? '')
  const fields = { host, accept: '*/*', ...ours, ...headers, ...more }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(
    `${body === undefined ? 'GET' : 'POST'} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`,
    'latin1',
  )
}

function reportOf({ answered, wrong, elapsedMs, latenciesMs }: Run, { pace }: LoadOrder): LoadReport {
  const at = (share: number) => latenciesMs[Math.floor(share * (latenciesMs.length - 1))] ?? Number.NaN
  const each = 'perSecond' in pace ? [...latenciesMs] : []
  return { answered, wrong, elapsedMs, medianMs: at(0.5), p99Ms: at(0.99), lastMs: at(1), latenciesMs: each }
}
