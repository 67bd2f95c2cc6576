import { createRequire } from 'node:module'
import pg from 'pg'

let areBounded = false

/**
 * Whatever says something where PostgreSQL should stand ends its own connection at most. pg, as it is, ends the process at a message
 * that is none, since nobody catches what is thrown then, and reads an error that does not end for ever. Of every connection that this
 * process makes from now on.
 */
export function boundMessages(): void {
  if (areBounded) return
  areBounded = true
  endErrors()
  const connection = pg.Connection.prototype as unknown as Connection
  const attach = connection.attachListeners
  connection.attachListeners = function (stream: Told) {
    const on: Told['on'] = (event, hear) => stream.on(event, event === 'data' ? guarded(stream, hear) : hear)
    attach.call(this, { on })
  }
  leaveWhoLetsNobodyIn()
}

/** Whoever is not let in leaves. PostgreSQL ends the connection by itself then; pg, as it is, leaves that to it, however long it takes. */
function leaveWhoLetsNobodyIn(): void {
  const client = pg.Client.prototype as unknown as Client
  const connect = client._connect
  client._connect = function (told) {
    connect.call(this, (error) => {
      if (error) this.connection.stream.destroy()
      told(error)
    })
  }
}

/** What is used of pg's client: `_connect` tells that it is let in, or why not, in whichever way it is asked to connect. */
type Client = {
  readonly connection: { readonly stream: Pick<Told, 'destroy'> }
  _connect(this: Client, told: (error?: Error) => void): void
}

/** Who is on the other side has not shown who they are, and says little until then: an exchange of SCRAM is some hundred bytes. */
export function hearLittleOf(stream: object, isUnknown: boolean): void {
  if (isUnknown) unknown.add(stream)
  else unknown.delete(stream)
}

const unknown = new WeakSet<object>()
const UNKNOWN_BYTES_MAX = 64 * 1024

/** What is used of a stream: what listens to it is told, and it may be ended. */
type Told = {
  readonly destroyed: boolean
  on(event: string, hear: (said: Buffer) => void): unknown
  destroy(error?: Error): unknown
}

/** What is used of pg's connection. */
type Connection = {
  attachListeners(this: Connection, stream: Pick<Told, 'on'>): void
}

function guarded(stream: Told, hear: (chunk: Buffer) => void): (chunk: Buffer) => void {
  let saidBytes = 0
  return (chunk) => {
    if (stream.destroyed) return
    try {
      saidBytes += chunk.length
      if (saidBytes > UNKNOWN_BYTES_MAX && unknown.has(stream))
        throw new Error('no server says so much before it lets in')
      // Alone: who copies takes its place (pg-copy-streams).
      hear(chunk)
    } catch (error) {
      stream.destroy(error instanceof Error ? error : new Error('no message of PostgreSQL', { cause: error }))
    }
  }
}

/** Errors and notices are read field by field until one has no name: behind the last there is always one, whoever sent it. */
function endErrors(): void {
  const { Parser }: { Parser: { prototype: Parsing } } = createRequire(
    createRequire(import.meta.url).resolve('pg'),
  )('pg-protocol/dist/parser.js')
  const { handlePacket } = Parser.prototype
  Parser.prototype.handlePacket = function (offset, code, length, bytes) {
    if (!ERRORS.includes(code)) return handlePacket.call(this, offset, code, length, bytes)
    const own = bytes.subarray(offset, offset + length - LENGTH_BYTES)
    return handlePacket.call(this, 0, code, length, Buffer.concat([own, NAMELESS]))
  }
}

/** What is used of pg's parser: a message of this kind begins there, and is so long with its length. */
type Parsing = { handlePacket(offset: number, code: number, length: number, bytes: Buffer): unknown }

const ERRORS = [...Buffer.from('EN')]
const LENGTH_BYTES = 4
/** The end of the text before it as well. */
const NAMELESS = Buffer.alloc(2)
