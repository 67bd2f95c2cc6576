/** What stands on every mail of the service. */
export type Letterhead = {
  /** The service, as people know it. */
  name: string
  /** Without a trailing slash. */
  publicUrl: string
  /** The page where a key is replaced. */
  replaceUrl: string
  /** The page where a holder makes and ends keys beside it. */
  keysUrl: string
  /** Where a person answers: a mail address, or a page. */
  contact: string
}
