/** What stands on every mail of the service. */
export type Letterhead = {
  /** The service, as people know it. */
  name: string
  /** Without a trailing slash. */
  publicUrl: string
  /** The page where a key is replaced. */
  replaceUrl: string
  /** Where a person answers: a mail address, or a page. */
  contact: string
}
