import type { KeySessions } from '#src/access/key-sessions.ts'
import type { NamedKeys } from '#src/access/named-keys.ts'
import type { ValidKey, Verifier } from '#src/access/verify.ts'
import type { EndpointOwner, Endpoints } from '#src/push/endpoints.ts'
import type { CompanyReader } from '#src/record/company-reader.ts'
import type { Search } from '#src/search/search.ts'

export type PageSearch = Pick<Search, 'sok' | 'forslag' | 'finn'>

/** What the pages that look companies up ask of the service; for whoever has a key. */
export type LookupFront = {
  verifier: Pick<Verifier, 'verify'>
  sandbox: { isTestKey(text: string): boolean; endOwn(text: string): Promise<boolean> }
  sessions: KeySessions
  namedKeys: NamedKeys
  push: { endpoints: Endpoints; ownerOf(key: ValidKey): Promise<EndpointOwner> }
  reader: Pick<CompanyReader, 'read'>
  search: PageSearch
}
