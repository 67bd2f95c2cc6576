import { closeSync, openSync, writeFileSync } from 'node:fs'
import { InputError, OppslagError } from '#src/core/errors.ts'
import { refuseStrangersFile } from '#src/core/log/to-file.ts'

export type RefusedReport<Refused> = {
  /** The first that were refused, as many as are shown. */
  readonly first: readonly Refused[]
  add(refused: Refused): void
  /** Once is enough, more does no harm. */
  end(): void
  /** To be asked when it is ended. */
  isWhole(): boolean
  /** @throws UnwrittenReportError */
  requireWhole(): void
}

/** Not all of it could be written, most likely for want of room. What was imported stays so. */
class UnwrittenReportError extends OppslagError {
  constructor(path: string, cause: unknown) {
    const code = cause instanceof Error && 'code' in cause ? ` (${cause.code})` : ''
    super(
      'avviste_uskrevet',
      `Alt er gjort, men ${path} kunne ikke skrives, og har ikke alle avviste${code}.`,
      {
        cause,
      },
    )
  }
}

/**
 * Where the refused parts of a file stand and why. Of the parts themselves nothing is written: they are in the file, and some
 * are refused for what may not be written anywhere else. That it can not be written ends no import: it is told when that is done.
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
  let trouble: UnwrittenReportError | null = null

  function attempt(write: () => void): void {
    try {
      write()
    } catch (error) {
      if (path !== undefined) trouble ??= new UnwrittenReportError(path, error)
    }
  }

  /** On a disk that is nearly full a part of it is taken, and that is no error: the rest is tried, which is. */
  function flush(): void {
    if (file !== null && trouble === null) attempt(() => writeFileSync(file, text))
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
      attempt(() => closeSync(file))
    },
    isWhole: () => trouble === null,
    requireWhole() {
      if (trouble !== null) throw trouble
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
