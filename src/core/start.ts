import { OppslagError } from './errors.ts'

/** Runs a door's opening. What is wrong with the set-up is told in one line and ends the process with status 1. */
export async function startOrExplain<T>(open: () => T | Promise<T>): Promise<T> {
  try {
    return await open()
  } catch (error) {
    const isExplained = error instanceof OppslagError
    process.stderr.write(
      isExplained ? `${error.message}\n` : `${error instanceof Error ? error.stack : error}\n`,
    )
    process.exit(1)
  }
}
