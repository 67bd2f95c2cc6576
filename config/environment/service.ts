import { join, resolve } from 'node:path'
import { BY_SOCKET, createNetworkList } from '#src/core/client-network.ts'
import { NotUnderstood, text, unlessEmpty, webAddress, whole } from './kinds.ts'
import { type Given, valuesOf } from './variable.ts'

/** Where a process listens, who stands in front of it, and where it may write. */
export const serviceVariables = {
  PORT: {
    meaning: 'Port the service listens on; 0 lets the system choose.',
    standard: '8080',
    read: whole(0, 65535),
  },
  HOST: {
    meaning: 'Address the service listens on.',
    standard: '127.0.0.1',
    read: text(1, 255),
  },
  OPS_PORT: {
    meaning:
      "Port of the operators' side, in every process; 0 lets the system choose. Two processes on one machine need two.",
    standard: '8081',
    read: whole(0, 65535),
  },
  OPS_HOST: {
    meaning:
      "Address of the operators' side. Whoever reaches it sees health and metrics; the rest wants an operator's token.",
    standard: '127.0.0.1',
    read: text(1, 255),
  },
  OPS_NAMES: {
    meaning:
      "Names the operators' side is reached by, comma separated. Addresses, names without a dot and the machine's own are known; any other in Host is refused.",
    standard: '',
    read: unlessEmpty(hostNames),
  },
  WORKERS: {
    meaning:
      'How many fronts `npm run -s fronts` keeps on HOST and PORT, one for each core. The first has OPS_PORT, the next OPS_PORT + 1, …',
    standard: '1',
    read: whole(1, 64),
  },
  PUBLIC_URL: {
    meaning:
      'Address callers reach the service at; stands in problem types and the documentation. Empty: HOST and PORT.',
    standard: '',
    read: unlessEmpty(webAddress),
  },
  TRUST_PROXY: {
    meaning:
      'Networks (CIDR, comma separated) of the proxies in front: their X-Forwarded-For is believed, and their connections are not bounded as one client’s. Empty: there is none.',
    standard: '',
    read: unlessEmpty(networks),
  },
  SOCKET_DIR: {
    meaning:
      'Folder, closed to strangers, for a Unix socket of each side besides its port: `tjeneste.sock`, and `drift-8081.sock` by its port. Whoever may enter it is believed as a proxy is, and stays clear of what other users of the machine do to the ports. Empty: there is none.',
    standard: '',
    read: unlessEmpty(socketFolder),
  },
  WEBHOOK_HOSTS: {
    meaning:
      'Origins that webhooks may go to besides what everybody can reach, each by its name and port (https://mottak.internal:8443, comma separated): a receiver in a network of one’s own, or a demo’s. There is no word for all. Empty: none.',
    standard: '',
    read: unlessEmpty(origins),
  },
  DATA_DIR: {
    meaning:
      'Folder for what the service keeps on disk itself: the embedded database, and mails when SMTP_URL is empty.',
    standard: '.data',
    read: (value: string) => resolve(value),
  },
  COMMIT: {
    meaning:
      'The commit the program was made of, which it calls its version. Set when the image is built; empty: that of the clone it lies in.',
    standard: '',
    read: unlessEmpty(commit),
  },
} as const

export type ServiceSettings = {
  readonly port: number
  readonly host: string
  readonly opsPort: number
  readonly opsHost: string
  readonly opsNames: readonly string[]
  /** Fronts side by side; looked at only by the process that keeps them. */
  readonly fronts: number
  /** Without a trailing slash; null until the port is known. */
  readonly publicUrl: string | null
  /** With the address of who comes by a socket, where there is one. */
  readonly trustProxy: readonly string[] | null
  /** null: there are no sockets. */
  readonly socketDir: string | null
  /** Empty: nothing but what everybody can reach. */
  readonly webhookHosts: readonly string[]
  readonly dataDir: string
  readonly commit: string | null
}

export function serviceSettings(env: Given): ServiceSettings {
  const value = valuesOf(serviceVariables, env)
  return {
    port: value('PORT'),
    host: value('HOST'),
    opsPort: value('OPS_PORT'),
    opsHost: value('OPS_HOST'),
    opsNames: value('OPS_NAMES') ?? [],
    fronts: value('WORKERS'),
    publicUrl: value('PUBLIC_URL'),
    trustProxy:
      value('SOCKET_DIR') === null ? value('TRUST_PROXY') : [...(value('TRUST_PROXY') ?? []), BY_SOCKET],
    socketDir: value('SOCKET_DIR'),
    webhookHosts: value('WEBHOOK_HOSTS') ?? [],
    dataDir: value('DATA_DIR'),
    commit: value('COMMIT'),
  }
}

function networks(value: string): readonly string[] {
  const parts = value.split(',').map((part) => part.trim())
  try {
    createNetworkList(parts)
  } catch {
    throw new NotUnderstood('networks like 10.0.0.0/8, comma separated')
  }
  return parts
}

/** The name of a socket is no longer than this (sun_path, without its NUL, where there is least room). */
const SOCKET_BYTES_MAX = 103

function socketFolder(value: string): string {
  const folder = resolve(value)
  if (Buffer.byteLength(join(folder, 'drift-65535.sock')) > SOCKET_BYTES_MAX) {
    throw new NotUnderstood(
      'a folder with a shorter path: the system knows no socket by more than a hundred letters',
    )
  }
  return folder
}

function origins(value: string): readonly string[] {
  return value.split(',').map((part) => {
    const url = URL.parse(part.trim())
    const isOrigin = url !== null && ['http:', 'https:'].includes(url.protocol) && part.trim() === url.origin
    if (!isOrigin) throw new NotUnderstood('origins like https://mottak.internal:8443, comma separated')
    return url.origin
  })
}

function hostNames(value: string): readonly string[] {
  const names = value.split(',').map((name) => name.trim().toLowerCase())
  const areNames = names.every((name) => /^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63}){0,9}$/.test(name))
  if (!areNames) throw new NotUnderstood('names like drift.example.no, comma separated')
  return names
}

function commit(value: string): string {
  if (!/^[0-9a-f]{7,64}$/.test(value)) throw new NotUnderstood('a commit, 7 to 64 of 0-9 and a-f')
  return value
}
