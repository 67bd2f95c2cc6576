import type { KeySessions } from '#src/access/key-sessions.ts'
import type { NamedKeys } from '#src/access/named-keys.ts'
import type { ValidKey, Verifier } from '#src/access/verify.ts'
import type { ChangeLog } from '#src/changes/change-log.ts'
import type { Watcher } from '#src/changes/waiting.ts'
import type { Watches } from '#src/changes/watches.ts'
import type { EndpointOwner, Endpoints } from '#src/push/endpoints.ts'
import type { CompanyReader } from '#src/record/company-reader.ts'
import type { ManyReader } from '#src/record/many.ts'
import type { Search } from '#src/search/search.ts'

export type PageSearch = Pick<Search, 'sok' | 'forslag' | 'finn'>

/** What the pages that look companies up ask of the service; for whoever has a key. */
export type LookupFront = {
  verifier: Pick<Verifier, 'verify'>
  sandbox: { isTestKey(text: string): boolean; endOwn(text: string): Promise<boolean> }
  sessions: Pick<KeySessions, 'begin' | 'who' | 'end'>
  namedKeys: NamedKeys
  push: { endpoints: Endpoints; ownerOf(key: ValidKey): Promise<EndpointOwner> }
  reader: Pick<CompanyReader, 'read'>
  many: Pick<ManyReader, 'erased'>
  changes: {
    log: Pick<ChangeLog, 'latest' | 'tellable'>
    watches: Watches
    watcherOf: (key: ValidKey) => Promise<Watcher>
    /** What companies are called, as far as that is known without asking a register. */
    namesOf: (orgnrs: readonly string[]) => Promise<ReadonlyMap<string, string>>
    /** What a link of a mail can do: end such mails. */
    stopping: { isLink(token: string): Promise<boolean>; stop(token: string): Promise<boolean> }
  }
  search: PageSearch
}
