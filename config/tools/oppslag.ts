import { oppslag } from './oppslag/oppslag.ts'

process.exitCode = await oppslag(process.argv.slice(2))
