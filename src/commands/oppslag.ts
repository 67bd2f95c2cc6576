import { fstatSync } from 'node:fs'
import { besideDemo } from './oppslag/beside-demo.ts'
import { oppslag } from './oppslag/oppslag.ts'
import { writeWhole } from './oppslag/output.ts'

const demo = await besideDemo(process.env)
if (demo !== null) {
  Object.assign(process.env, demo.variables)
  process.stderr.write(`${demo.said}\n`)
}

// Whoever reads may have seen enough (`| head`). What was begun is still done, whatever hinders it from telling how it goes: a backup
// is not given up since the disk of the log is full to which it tells so.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})
process.stderr.on('error', () => {})
const { stdout } = process
// Of what is written to a file a disk that is nearly full takes a part, and Node takes that for all of it.
if (fstatSync(stdout.fd).isFile()) {
  stdout._write = (text, _encoding, done) => {
    writeWhole(stdout.fd, text)
    done()
  }
}
const code = await oppslag(process.argv.slice(2))
process.exitCode = code
// `status --sjekk` that found nothing out in time: what hangs would keep the process, and its answer, for as long.
if (code === 3) stdout.write('', () => process.exit())
