import { readFileSync, writeFileSync } from 'node:fs'
import { taken } from '#src/pages/changes-page.ts'
import { startPageFront } from '#test/pages/page-front.ts'
import { closedPages } from '#test/support/closed-pages.ts'
import { asText, brokenIn, fromText, linesOf } from './lines.ts'
import { PUBLISHED } from './place.ts'

/** Writes what is published now, unless that takes away what was published and the page of changes does not name. */
const front = await startPageFront(closedPages())
try {
  const now = linesOf(JSON.parse((await front.get('/openapi.json')).text))
  const untold = brokenIn(fromText(readFileSync(PUBLISHED, 'utf8')), now).filter((name) => !taken.has(name))
  for (const name of untold) process.stderr.write(`not told in src/pages/changes-page.ts: ${name}\n`)
  if (untold.length > 0) process.exitCode = 1
  else writeFileSync(PUBLISHED, asText(now))
} finally {
  await front.close()
}
