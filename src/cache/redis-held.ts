/** What Redis holds of one company. `token`: nothing, and the leases that were wanted in this case are taken with it. */
export type RedisCompany = {
  readonly isErased: boolean
  readonly generation: number
  readonly sections: ReadonlyMap<string, Buffer>
  readonly token: string | null
}

/** A whole answer beside the entries it was made of. `about`: the caller's own line about it; `bytes`: as it is sent. */
export type SharedAnswer = { readonly about: string; readonly bytes: Buffer }

/** How it is sent. It always lies there in gzip, and in the other form where that was asked for. */
export type SharedForm = 'gzip' | 'plain'

/**
 * The answer to a fill that wants to begin. `packed` is what is held of the section now.
 *
 * - `begun`: this process fills it; `token` and `generation` are what its write will be checked against.
 * - `busy`: another one does.
 * - `unreachable`: Redis can not be asked; there is nobody to coordinate with and nothing will be written.
 */
export type Begun =
  | { state: 'begun'; token: string; generation: string; packed: Buffer | null }
  | { state: 'busy'; packed: Buffer | null }
  | { state: 'erased' }
  | { state: 'unreachable' }

export function begunIn([state, generation, token, packed = null]: readonly (Buffer | null)[]): Begun {
  switch (state?.toString('latin1')) {
    case 'begun':
      return {
        state: 'begun',
        generation: String(generation),
        token: String(token),
        packed: packedIn(packed),
      }
    case 'busy':
      return { state: 'busy', packed: packedIn(packed) }
    default:
      return { state: 'erased' }
  }
}

/** @throws TypeError it is no Redis of ours that says so: what it is asked is asked in vain */
function packedIn(told: Buffer | null): Buffer | null {
  if (told !== null && !Buffer.isBuffer(told)) throw new TypeError('no bytes')
  return told
}

/** What Redis tells piece by piece costs as much for a short one as for a long one. */
export function withItsLine({ about, bytes }: SharedAnswer): Buffer {
  return Buffer.concat([Buffer.from(`${about}\n`, 'latin1'), bytes])
}

/** As the script tells it. */
export function heldIn(told: Buffer | readonly Buffer[]): SharedAnswer | RedisCompany {
  if (!Buffer.isBuffer(told)) return companyIn(told)
  const end = told.indexOf(LINE_END)
  return { about: told.toString('latin1', 0, Math.max(0, end)), bytes: told.subarray(end + 1) }
}

function companyIn(fields: readonly Buffer[]): RedisCompany {
  let isErased = false
  let generation = 0
  let token: string | null = null
  const sections = new Map<string, Buffer>()
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const field = String(fields[index])
    const value = packedIn(fields[index + 1] as Buffer) as Buffer
    if (field === '!x') isErased = true
    else if (field === '!g') generation = Number(value.toString('latin1'))
    else if (field === '!t') token = value.toString('latin1')
    else if (!field.startsWith('!')) sections.set(field, value)
  }
  return { isErased, generation, sections, token }
}

const LINE_END = 10
