/** Where the server of an address listens, as a connection is dialled: at a host and port, or a database's at a socket. */
export function serverOf(address: string): { host: string; port: number } | { path: string } {
  const { hostname, port } = new URL(address)
  const host = decodeURIComponent(hostname)
  return host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port: Number(port) }
}
