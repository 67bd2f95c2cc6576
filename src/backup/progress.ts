/** Which table is at hand, and how much of all rows has gone by, in bytes as they are unpacked. */
export type BackupProgress = {
  stage: 'skriver' | 'kontrollerer' | 'leser_inn'
  table: string
  bytes: number
}
