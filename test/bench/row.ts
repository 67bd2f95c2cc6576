/** What a row is held against: `found` should be at most `limit`. */
export type Aim = { what: string; found: number; limit: number; unit: string }

/** A server under load, per request. */
export type ServerRow = {
  name: string
  cpuMicroseconds: number
  /** CPU time against bare `node:http` sending the same bytes, in the same rounds. */
  timesBare: number
  perSecond: number
  p99Ms: number
  aims: Aim[]
}

export type Results = {
  servers: ServerRow[]
  rest: Aim[]
  /** What was left out, and why. */
  notes: string[]
}

export function median(values: readonly number[]): number {
  return share(values, 0.5)
}

export function share(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(part * (sorted.length - 1))] ?? Number.NaN
}

export function isReached({ found, limit }: Aim): boolean {
  return found <= limit
}
