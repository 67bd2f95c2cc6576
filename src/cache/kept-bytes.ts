/**
 * A copy in memory of its own, for bytes that are kept. Small buffers are slices of a shared pool (64 kB in Node 24), and what
 * zlib returns is a slice of its output chunk: kept as they are, a few kilobytes would hold all of it, uncounted.
 */
export function keptBytes(from: Buffer | string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(from))
  if (typeof from === 'string') bytes.write(from)
  else from.copy(bytes)
  return bytes
}
