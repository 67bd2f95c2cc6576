import type { Environment } from '#config/environment.ts'
import { ConfigurationError } from '#src/core/errors.ts'

type Where = Pick<Environment, 'opsPort' | 'opsHost'>

/**
 * Waits for what begins to listen.
 *
 * @throws ConfigurationError that names the variable when this process can not listen there; what else it throws, as it is
 */
export async function listening<T>(beginning: Promise<T>, where: Where): Promise<T> {
  try {
    return await beginning
  } catch (error) {
    throw explained(error, where)
  }
}

/** The system's errors of a taken port have it as a field, those of a name that is no address have the name. */
function explained(error: unknown, { opsPort, opsHost }: Where): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error
  const { code } = error
  if ('hostname' in error) {
    const variable = error.hostname === opsHost ? 'OPS_HOST' : 'HOST'
    return new ConfigurationError(`${variable}: ${error.hostname} is no address of this machine (${code}).`, {
      cause: error,
    })
  }
  if (!('port' in error) || !('address' in error)) return error
  const [variable, use] =
    error.port === opsPort ? ['OPS_PORT', "the operators' side"] : ['PORT', 'the public side']
  return new ConfigurationError(
    `${variable}: ${error.address}:${error.port} can not be used for ${use} (${code}). Is another process of the service running here? Set ${variable} to another port, or to 0 for any that is free.`,
    { cause: error },
  )
}
