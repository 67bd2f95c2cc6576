import { basePathOf, withQuery } from '#src/upstream/url.ts'
import { type CompanySource, sourceOf } from './index.ts'
import { correspondences } from './klass/industry-codes.ts'
import type { Host } from './register.ts'

/** The whole address of a question, as it is shown in the record; `klass`: the table of how the two sets of industry codes correspond. */
export type Addresses = (source: CompanySource | 'klass', orgnr: string) => string

export function addressesAt(hosts: {
  registerUrl: string
  kunngjoringUrl: string
  klassUrl: string
}): Addresses {
  // Taken apart once: every record says a dozen of them.
  const bases: Record<Host, string> = {
    register: baseOf(hosts.registerUrl),
    kunngjoring: baseOf(hosts.kunngjoringUrl),
    klass: baseOf(hosts.klassUrl),
  }
  return (source, orgnr) => {
    const { request, register } = source === 'klass' ? correspondences : sourceOf(source)
    const { path, query } = request(orgnr)
    return bases[register.host] + withQuery(path, query)
  }
}

function baseOf(url: string): string {
  const base = new URL(url)
  return base.origin + basePathOf(base)
}
