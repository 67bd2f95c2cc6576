/** What stands on every mail of the service. */
export type Letterhead = {
  /** The service, as people know it. */
  name: string
  /** Without a trailing slash. */
  publicUrl: string
  /** The page where a key is replaced. */
  replaceUrl: string
  /** An address where a person answers. */
  contact: string
}
