/** What a JSON value is made of: its scalars, and its empty lists and objects, each under its JSON pointer (RFC 6901). */
type Scalar = string | number | boolean | null
export type Leaf = Scalar | 'an empty list' | 'an empty object'

/** Read once for each object: nothing that is judged is changed afterwards. */
export function leavesOf(value: unknown): ReadonlyMap<string, Leaf> {
  const isObject = typeof value === 'object' && value !== null
  const known = isObject ? read.get(value) : undefined
  if (known !== undefined) return known
  const leaves = new Map<string, Leaf>()
  walk(value, '', leaves)
  if (isObject) read.set(value, leaves)
  return leaves
}

const read = new WeakMap<object, ReadonlyMap<string, Leaf>>()

function walk(value: unknown, pointer: string, leaves: Map<string, Leaf>): void {
  if (Array.isArray(value)) {
    if (value.length === 0) leaves.set(pointer, 'an empty list')
    for (const [index, item] of value.entries()) walk(item, `${pointer}/${index}`, leaves)
  } else if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value)
    if (entries.length === 0) leaves.set(pointer, 'an empty object')
    for (const [key, item] of entries) walk(item, `${pointer}/${escaped(key)}`, leaves)
  } else leaves.set(pointer, value as Scalar)
}

export function escaped(key: string): string {
  return /[~/]/.test(key) ? key.replaceAll('~', '~0').replaceAll('/', '~1') : key
}

export function stepsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

export function valueAt(root: unknown, pointer: string): unknown {
  return stepsOf(pointer).reduce<unknown>(
    (value, step) => (typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined),
    root,
  )
}
