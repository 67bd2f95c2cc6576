/** What stands in front of every path at a peer: its base's own path, if it has one. */
export function basePathOf(baseUrl: URL): string {
  return baseUrl.pathname.replace(/\/+$/, '')
}

/** A path and its query as they are sent. Spaces as %20: a plus sign means a space only to those who read the query as a form. */
export function withQuery(path: string, query: Record<string, string> | undefined): string {
  return query === undefined
    ? path
    : `${path}?${new URLSearchParams(query).toString().replaceAll('+', '%20')}`
}
