import { closeSync, openSync, writeSync } from 'node:fs'
import { InputError } from '#src/core/errors.ts'
import { refuseStrangersFile } from '#src/core/log/to-file.ts'

export type RefusedReport<Refused> = {
  /** The first that were refused, as many as are shown. */
  readonly first: readonly Refused[]
  add(refused: Refused): void
  /** Once is enough, more does no harm. */
  end(): void
}

/**
 * Where the refused parts of a file stand and why. Of the parts themselves nothing is written: they are in the file, and some
 * are refused for what may not be written anywhere else.
 *
 * @param path where all of them go, a line each below `header`; undefined: only the first are kept, in memory
 * @throws InputError when the file can not be made
 */
export function openRefusedReport<Refused>(
  path: string | undefined,
  { header, asLine }: { header: string; asLine: (refused: Refused) => string },
): RefusedReport<Refused> {
  const file = path === undefined ? null : openForWriting(path)
  const first: Refused[] = []
  let text = `${header}\n`
  let isEnded = false

  function flush(): void {
    if (file !== null) writeSync(file, text)
    text = ''
  }

  return {
    first,
    add(refused) {
      if (first.length < SHOWN_MAX) first.push(refused)
      if (file === null) return
      text += `${asLine(refused)}\n`
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
    refuseStrangersFile(path)
    return openSync(path, 'w', 0o600)
  } catch {
    throw new InputError('ugyldig_fil', 'avviste', {
      norsk: `Filen ${path} kan ikke skrives.`,
      english: `The file ${path} can not be written.`,
    })
  }
}
