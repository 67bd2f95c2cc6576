/** PostgreSQL's ErrorResponse, as a session says it that finds its server gone: it may come in one piece with an answer. */
export const LAST_WORDS = errorResponse({
  S: 'FATAL',
  V: 'FATAL',
  C: '57P01',
  M: 'terminating connection due to unexpected postmaster exit',
})

function errorResponse(fields: Record<string, string>): Buffer {
  const body = `${Object.entries(fields)
    .map(([field, text]) => `${field}${text}\0`)
    .join('')}\0`
  const length = Buffer.alloc(4)
  length.writeInt32BE(4 + Buffer.byteLength(body))
  return Buffer.concat([Buffer.from('E'), length, Buffer.from(body)])
}
