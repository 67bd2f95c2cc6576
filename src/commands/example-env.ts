import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { variables } from '#config/environment.ts'

/** Writes config/example.env from the table of variables. A test fails when the file and the table differ. */
export const exampleEnvFile = fileURLToPath(new URL('../../config/example.env', import.meta.url))

export function exampleEnv(): string {
  const entries = Object.entries(variables).map(
    ([name, { meaning, standard }]) => `# ${meaning}\n#${name}=${standard}\n`,
  )
  return [HEAD, ...entries].join('\n')
}

const HEAD = `# Every variable with its default. Copy, uncomment and change what you need.
# NAME_FILE=/path instead of NAME=value reads the value from a file, which others must not be able to read.
`

if (import.meta.main) writeFileSync(exampleEnvFile, exampleEnv())
