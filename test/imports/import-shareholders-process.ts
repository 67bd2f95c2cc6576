import { writeSync } from 'node:fs'
import { importShareholders } from '#src/imports/import-shareholders.ts'
import { openRegisterFile } from '#src/sources/aksjonaerregisteret/file.ts'

const STANDS_STILL_MS = 60_000

/**
 * Imports a file: `node import-shareholders-process.ts <database> <file> <year> [<stage> <rows>]`. Having come so far it says so
 * and stands still, for whoever started it to end it there.
 */
const [, , url = '', path = '', aar = '', stage = '', rows = '0'] = process.argv
process.on('disconnect', () => process.exit(1))
const file = await openRegisterFile(path)
await importShareholders({
  url,
  file,
  aar: Number(aar),
  kilde: 'prøve',
  uttrekksdato: null,
  onProgress(progress) {
    if (progress.stage !== stage || progress.rows < Number(rows)) return
    writeSync(1, 'here\n')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STANDS_STILL_MS)
  },
})
await file.close()
process.exit(0)
