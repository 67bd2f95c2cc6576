import { type CompanySource, sourceOf } from './index.ts'
import { correspondences } from './klass/industry-codes.ts'
import type { Host } from './register.ts'
import { urlOf } from './register-client.ts'

/** The whole address of a question, as it is shown in the record; `klass`: the table of how the two sets of industry codes correspond. */
export type Addresses = (source: CompanySource | 'klass', orgnr: string) => string

export function addressesAt(hosts: {
  registerUrl: string
  kunngjoringUrl: string
  klassUrl: string
}): Addresses {
  const bases: Record<Host, URL> = {
    register: new URL(hosts.registerUrl),
    kunngjoring: new URL(hosts.kunngjoringUrl),
    klass: new URL(hosts.klassUrl),
  }
  return (source, orgnr) => {
    const { request, register } = source === 'klass' ? correspondences : sourceOf(source)
    const { path, query } = request(orgnr)
    const base = bases[register.host]
    return base.origin + urlOf(base, path, query)
  }
}
