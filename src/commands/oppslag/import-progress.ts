import progress from 'cli-progress'
import type { ImportProgress } from '#src/imports/import-shareholders.ts'

/** A bar on a terminal; otherwise a line now and then, for whoever reads a log. */
export function createImportProgress(stream: NodeJS.WriteStream) {
  return stream.isTTY ? createBar(stream) : createLines(stream)
}

type Progress = { show(progress: ImportProgress): void; end(): void }

function createBar(stream: NodeJS.WriteStream): Progress {
  const rate = createRate()
  let bar: progress.SingleBar | null = null
  return {
    show({ stage, rows, rowsTotal }) {
      if (rowsTotal === null) return
      if (bar === null) {
        bar = new progress.SingleBar({
          stream,
          format: '{steg} {bar} {value} av ca. {total} rader, {takt}/s, {igjen} igjen',
          // Ctrl-C is the command's own affair.
          gracefulExit: false,
          hideCursor: true,
        })
        bar.start(rowsTotal, 0, { steg: STAGES[stage], takt: '–', igjen: '–' })
      }
      const { perSecond, secondsLeft } = rate(rows, rowsTotal)
      bar.setTotal(rowsTotal)
      bar.update(rows, { steg: STAGES[stage], takt: perSecond, igjen: `${secondsLeft} s` })
    },
    end() {
      bar?.stop()
      bar = null
    },
  }
}

function createLines(stream: NodeJS.WriteStream): Progress {
  const rate = createRate()
  let nextAt = performance.now() + LINE_EVERY_MS
  return {
    show({ stage, rows, rowsTotal }) {
      if (rowsTotal === null) return
      const { perSecond, secondsLeft } = rate(rows, rowsTotal)
      if (performance.now() < nextAt) return
      nextAt = performance.now() + LINE_EVERY_MS
      stream.write(
        `${STAGES[stage]}: ${rows} av ca. ${rowsTotal} rader, ${perSecond}/s, ${secondsLeft} s igjen\n`,
      )
    },
    end() {},
  }
}

const LINE_EVERY_MS = 5000

const STAGES: Record<ImportProgress['stage'], string> = {
  undersoker: 'Undersøker',
  leser: 'Leser inn',
  kontrollerer: 'Kontrollerer',
}

/** Over all of the reading so far, which is even. */
function createRate() {
  let startedAt: number | null = null
  return (rows: number, rowsTotal: number) => {
    startedAt ??= performance.now()
    const perSecond = Math.round(rows / Math.max((performance.now() - startedAt) / 1000, 0.1))
    return { perSecond, secondsLeft: Math.ceil((rowsTotal - rows) / Math.max(perSecond, 1)) }
  }
}
