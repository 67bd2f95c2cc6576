import { OppslagError } from '../errors.ts'

/** How deep causes, and errors in errors, are followed. */
const DEPTH_MAX = 5
const TEXT_MAX = 300

/** Of errors that are not ours. PostgreSQL's own also have the row (`detail`), the statement's values (`where`) and more. */
const FIELDS = [
  'code',
  'errno',
  'syscall',
  'address',
  'port',
  'status',
  'statusCode',
  'severity',
  'schema',
  'table',
  'column',
  'constraint',
  'routine',
] as const

/**
 * An error as it is logged, by allow-list (P40): its type, message and stack with those of its causes, the facts of one of
 * ours, and of others what says where it came from. A message of PostgreSQL about a value repeats the value, and is left out.
 */
export function errorFields(error: unknown): unknown {
  return error instanceof Error ? fieldsOf(error, DEPTH_MAX) : error
}

function fieldsOf(error: Error, depth: number): Record<string, unknown> {
  const causes = causesOf(error)
  return {
    type: error.constructor.name,
    message: causes.map(messageOf).join(': '),
    stack: causes.map(stackOf).join('\ncaused by: '),
    ...factsOf(error),
    ...(error instanceof AggregateError && depth > 0
      ? { errors: error.errors.slice(0, DEPTH_MAX).map((each) => fieldsOrNothing(each, depth - 1)) }
      : {}),
  }
}

function fieldsOrNothing(each: unknown, depth: number): unknown {
  return each instanceof Error ? fieldsOf(each, depth) : null
}

function causesOf(error: Error): Error[] {
  const causes = [error]
  for (let cause = error.cause; cause instanceof Error && causes.length < DEPTH_MAX; cause = cause.cause) {
    if (causes.includes(cause)) break
    causes.push(cause)
  }
  return causes
}

function factsOf(error: Error): Record<string, unknown> {
  const names = error instanceof OppslagError ? Object.keys(error) : FIELDS
  const facts: Record<string, unknown> = {}
  for (const name of names) {
    const value: unknown = (error as unknown as Record<string, unknown>)[name]
    if (typeof value === 'number' || typeof value === 'boolean') facts[name] = value
    if (typeof value === 'string') facts[name] = value.slice(0, TEXT_MAX)
  }
  return facts
}

function messageOf(error: Error): string {
  return isAboutValue(error) ? 'PostgreSQL refused a value' : error.message
}

function stackOf(error: Error): string {
  const stack = error.stack ?? `${error.name}: ${error.message}`
  return isAboutValue(error) ? stack.replace(error.message, () => messageOf(error)) : stack
}

/** SQLSTATE class 22, data exceptions: `invalid input syntax for type integer: "…"`. */
function isAboutValue(error: Error): boolean {
  const { code, severity } = error as { code?: unknown; severity?: unknown }
  return typeof code === 'string' && /^22[0-9A-Z]{3}$/.test(code) && severity !== undefined
}
