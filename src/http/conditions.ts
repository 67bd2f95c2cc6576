/** RFC 9110, 13.1.2: a list of tags or `*`, compared weakly (8.8.3.2): whether either is weak does not matter. */
export function matchesAny(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch === etag || ifNoneMatch.trim() === '*') return true
  const tag = opaque(etag)
  return ifNoneMatch.split(',').some((each) => opaque(each.trim()) === tag)
}

function opaque(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag
}
