import { html } from 'ghtml'
import type { PublicStatus } from '#src/ops/public-status.ts'
import { NAME } from './layout.ts'
import { incidentWords, type StatusLanguage, sourceName, statusWords } from './status-words.ts'

/** The incidents as an Atom feed (RFC 4287): one entry each, updated when an answer was heard again. */
export function statusFeed(
  { tid, hendelser }: Pick<PublicStatus, 'tid' | 'hendelser'>,
  { language, publicUrl }: { language: StatusLanguage; publicUrl: string },
): string {
  const t = statusWords[language]
  const page = `${publicUrl}/status?lang=${language}`
  const updated = hendelser.map(({ til, svarteIgjen }) => svarteIgjen ?? til)
  return html`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${language}">
<id>${page}</id>
<title>${NAME}: ${t.incidents}</title>
<updated>${updated.toSorted().at(-1) ?? tid}</updated>
<author><name>${NAME}</name></author>
<link rel="self" href="${publicUrl}/status.atom?lang=${language}"/>
<link rel="alternate" type="text/html" href="${page}"/>
!${hendelser.map(
    (each, index) => html`<entry>
<id>${publicUrl}/status#${each.id}</id>
<title>${sourceName(each.kilde, language)}: ${each.svarteIgjen === null ? t.noAnswerYet : t.answersAgain}</title>
<published>${each.fra}</published>
<updated>${updated[index]}</updated>
<link rel="alternate" type="text/html" href="${page}#${each.id}"/>
<content type="text">${incidentWords(each, language)}</content>
</entry>
`,
  )}</feed>
`
}
