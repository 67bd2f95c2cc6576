import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..')
export const dependencies = join(root, 'node_modules')
/** What Node has compiled, which takes it longer than all else of a start. */
export const compiled = process.env.NODE_COMPILE_CACHE ?? join(dependencies, '.compile-cache')
