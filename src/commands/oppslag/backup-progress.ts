import type { BackupProgress } from '#src/backup/progress.ts'

const LINE_EVERY_MS = 5000
const REDRAWN_EVERY_MS = 200

/** One line that is drawn anew on a terminal; otherwise a line now and then, for whoever reads a log. */
export function createBackupProgress(stream: NodeJS.WriteStream) {
  let isShown = false
  let nextAt = performance.now() + (stream.isTTY ? REDRAWN_EVERY_MS : LINE_EVERY_MS)
  return {
    show({ stage, table, bytes }: BackupProgress): void {
      if (performance.now() < nextAt) return
      nextAt = performance.now() + (stream.isTTY ? REDRAWN_EVERY_MS : LINE_EVERY_MS)
      const line = `${STAGES[stage]}: ${table}, ${(bytes / 1e6).toFixed(0)} MB`
      stream.write(stream.isTTY ? `\r\x1b[K${line}` : `${line}\n`)
      isShown = stream.isTTY
    },
    end(): void {
      if (isShown) stream.write('\r\x1b[K')
      isShown = false
    },
  }
}

const STAGES: Record<BackupProgress['stage'], string> = {
  skriver: 'Skriver',
  kontrollerer: 'Leser tilbake og kontrollerer',
  leser_inn: 'Leser inn',
}
