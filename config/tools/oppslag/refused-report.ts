import { closeSync, openSync, writeSync } from 'node:fs'
import { InputError } from '#src/core/errors.ts'
import { REFUSALS, type Refusal } from '#src/sources/aksjonaerregisteret/refusals.ts'

export type RefusedReport = {
  /** The first that were refused, as many as are shown. */
  readonly first: { linje: number; kode: Refusal }[]
  add(linje: number, kode: Refusal): void
  end(): void
}

/**
 * Where the refused rows of a file stand and why. Of the rows themselves nothing is written: they are in the file, and some are
 * refused for what may not be written anywhere else.
 *
 * @throws InputError when the file can not be made
 */
export function openRefusedReport(path: string | undefined): RefusedReport {
  const file = path === undefined ? null : openForWriting(path)
  const first: RefusedReport['first'] = []
  let text = 'linje;kode;grunn\n'
  let isEnded = false

  function flush(): void {
    if (file !== null) writeSync(file, text)
    text = ''
  }

  return {
    first,
    add(linje, kode) {
      if (first.length < SHOWN_MAX) first.push({ linje, kode })
      if (file === null) return
      text += `${linje};${kode};${REFUSALS[kode]}\n`
      if (text.length > TEXT_MAX) flush()
    },
    end() {
      if (isEnded || file === null) return
      isEnded = true
      flush()
      closeSync(file)
    },
  }
}

const SHOWN_MAX = 10
const TEXT_MAX = 64 * 1024

function openForWriting(path: string): number {
  try {
    return openSync(path, 'w', 0o600)
  } catch {
    throw new InputError('ugyldig_fil', 'avviste', {
      norsk: `Filen ${path} kan ikke skrives.`,
      english: `The file ${path} can not be written.`,
    })
  }
}
