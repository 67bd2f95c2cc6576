import { readFileSync } from 'node:fs'

/** What every peer is given: the bytes our own service sends for a company, and the key that may read them. */
export const record = readFileSync(process.env.BENCH_RECORD ?? '')
const keys = new Map([[`Bearer ${process.env.BENCH_TOKEN}`, { id: 'bench' }]])

export function isKey(authorization: string | undefined): boolean {
  return authorization !== undefined && keys.has(authorization)
}

/** What a peer puts into its cache when it has nothing: the record as a value, as a register client would return it. */
export async function fetchRecord(): Promise<unknown> {
  return JSON.parse(record.toString())
}
