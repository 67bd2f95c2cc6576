import { besideDemo } from './oppslag/beside-demo.ts'
import { oppslag } from './oppslag/oppslag.ts'

const demo = await besideDemo(process.env)
if (demo !== null) {
  Object.assign(process.env, demo.variables)
  process.stderr.write(`${demo.said}\n`)
}

process.exitCode = await oppslag(process.argv.slice(2))
