import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PageFront, startPageFront } from '#test/pages/page-front.ts'
import { openBrowser, openPage } from '#test/support/browser.ts'
import { closedPages } from '#test/support/closed-pages.ts'
import { faultsAt, lookupPages, TWICE_AS_LARGE } from '#test/support/looked-over.ts'

const browser = await openBrowser()

describe.skipIf(browser === null)('P88: every page that looks companies up', () => {
  let front: PageFront

  beforeAll(async () => {
    front = await startPageFront(closedPages())
  })
  afterAll(async () => {
    await browser?.close()
    await front.close()
  })

  const cases = Object.entries(lookupPages).flatMap(([name, path]) =>
    (['nb', 'en'] as const).flatMap((language) =>
      [true, false].map((hasScripts) => ({ name, path, language, hasScripts })),
    ),
  )

  it.each(cases)(
    '$name in $language, JavaScript: $hasScripts',
    async ({ name, path, language, hasScripts }) => {
      const page = await openPage(browser, { baseURL: front.origin })
      // Ours are all files; axe itself does nothing in a page that may run none.
      if (!hasScripts) await page.route('**/*.js', (route) => route.abort())
      await page.goto(`${path}${path.includes('?') ? '&' : '?'}lang=${language}`)
      for (const width of [390, TWICE_AS_LARGE, 1280])
        for (const colorScheme of ['light', 'dark'] as const) {
          const picture = `${name}-${language}${hasScripts ? '' : '-uten-js'}`
          expect(await faultsAt(page, picture, { width, colorScheme })).toEqual([])
        }
      await page.context().close()
    },
  )
})
