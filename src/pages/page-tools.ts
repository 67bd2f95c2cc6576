import type { RecordReading } from '#src/record/reading.ts'
import type { Sales } from '#src/sales/sales.ts'
import type { SampleNumber } from '#src/samples/numbers.ts'
import type { Assets } from './assets.ts'
import type { Frame } from './layout.ts'
import type { LookupFront, PageSearch } from './lookup/ports.ts'
import type { SendPage } from './send-page.ts'

/** What every route of a page is made with. */
export type PageTools = {
  sales: PageSales
  samples: PageSamples
  lookup: LookupFront
  send: SendPage
  assets: Assets
  frame: Frame
  publicUrl(): string
  /** @throws PageFailure when this network, without a key, has looked up too often */
  strangers: { take(kind: string, ip: string): void }
  /** @throws PageFailure when this network has tried this too often */
  attempt(kind: string, ip: string): void
}

/** What the pages ask of the sale. */
export type PageSales = Pick<
  Sales,
  | 'offer'
  | 'placeOrder'
  | 'orderAgain'
  | 'readOrder'
  | 'giveOtherAddress'
  | 'requestReplacement'
  | 'readReplacement'
  | 'confirmReplacement'
  | 'requestTestKey'
  | 'readRenewal'
  | 'renew'
>

/** The records of invented companies, as the service would answer. */
export type PageSamples = {
  /** The registers know them as well, as in the demo: whoever has a session is shown what those say, as of any company. */
  areRegistered: boolean
  /** Another one: they may have changed. */
  edition(): string
  read(orgnr: SampleNumber): Promise<RecordReading>
  /** Among them alone. */
  search: PageSearch
}
