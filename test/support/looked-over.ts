import type { Page } from 'playwright-core'
import { SAMPLE } from '#test/fixtures/samples/index.ts'
import { axeFaults, picture } from './browser.ts'

/** The pages companies are looked up on, by the name of their picture; those that differ most come first. */
export const lookupPages: Record<string, string> = {
  treff: '/oppslag?q=tinde',
  'foretak-uten-kilde': `/foretak/${SAMPLE.sourceAway}`,
  'foretak-fjernet': `/foretak/${SAMPLE.removed}`,
  'logg-inn': '/logg-inn',
  liste: '/liste',
  foretak: `/foretak/${SAMPLE.healthy}`,
  'foretak-konkurs': `/foretak/${SAMPLE.bankrupt}`,
  'foretak-borsnotert': `/foretak/${SAMPLE.usd}`,
  oppslag: '/oppslag',
  'ingen-treff': '/oppslag?q=zzzzzz',
}

/** As many of a style sheet's pixels as 1280 of a screen are at 200 %. */
export const TWICE_AS_LARGE = 640

/**
 * What is wrong with a page at one width, in one scheme: it is wider than the screen, or axe finds something serious.
 *
 * @param rules of axe; all of them when left out
 */
export async function faultsAt(
  page: Page,
  name: string,
  {
    width,
    colorScheme,
    rules,
  }: { width: number; colorScheme: 'light' | 'dark'; rules?: readonly string[] | undefined },
): Promise<string[]> {
  await page.emulateMedia({ colorScheme })
  await page.setViewportSize({ width, height: 900 })
  await picture(page, `${name}-${width}${colorScheme === 'dark' ? '-mork' : ''}`)
  const overflow = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'))
  const faults = overflow > 0 ? [`wider than the screen by ${overflow}`] : []
  return [...faults, ...(await axeFaults(page, rules))].map((fault) => `${width} ${colorScheme}: ${fault}`)
}
