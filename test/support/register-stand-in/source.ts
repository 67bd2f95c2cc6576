import type { FeedName } from '#src/ops/feed-report.ts'
import type { CompanySource } from '#src/sources/index.ts'

/** Everything that can be asked, counted and made to fail, by the names the service uses, plus the change feeds and the bulk files. */
export type StandInSource =
  | CompanySource
  | 'sok'
  | 'klass'
  | `oppdateringer/${FeedName}`
  | `totalbestand/${'enheter' | 'underenheter'}`
