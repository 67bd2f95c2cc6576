import type { Sections } from './key.ts'

/** What one process tells the others it did. `company` ends in `*` when it means all whose names begin so. */
export type CacheChange = {
  readonly origin: string
  readonly how: 'store' | 'soften' | 'purge' | 'erase'
  readonly company: string
  readonly sections: Sections
}

/** One line of four words; no word holds a space. */
export function describeChange({ origin, how, company, sections }: CacheChange): string {
  return `${origin} ${how} ${company} ${sections === 'all' ? '*' : sections.join(',')}`
}

/** Null for a line that is not one of ours: a newer release may have more to say on the same channel. */
export function readChange(line: string): CacheChange | null {
  const words = LINE.exec(line)
  if (words === null) return null
  const [, origin = '', how = '', company = '', sections = ''] = words
  return {
    origin,
    how: how as CacheChange['how'],
    company,
    sections: sections === '*' ? 'all' : sections.split(','),
  }
}

const LINE = /^([0-9a-f-]{36}) (store|soften|purge|erase) ([0-9A-Za-z_-]{0,68}\*?) (\*|[a-zA-Z0-9,-]{1,400})$/
