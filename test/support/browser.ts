import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { type Chromium, carriedChromium, isCarried } from './chromium.ts'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** What has to be typed where there is no browser and none can be had. */
export const BROWSER_COMMAND = 'apt-get install chromium'

/** A real browser: the one npm carries, else one that is installed. Null when there is none. */
export async function openBrowser(): Promise<Browser | null> {
  const found = (await carriedChromium()) ?? installed()
  if (found === null) return null
  return chromium.launch({
    executablePath: found.program,
    env: { ...process.env, ...found.env },
    // Root may not use Chromium's own sandbox, nor anybody a machine that has it closed; what is shown to it is ours alone.
    args: ['--no-sandbox'],
  })
}

/**
 * A page of a visitor who has been nowhere yet, in Norwegian. Nothing on it glides: a click is aimed where the button was, and
 * that it missed one that was on its way elsewhere is seen by a script, so that without JavaScript nobody sees it.
 */
export async function openPage(browser: Browser | null, options: BrowserContextOptions): Promise<Page> {
  if (browser === null) throw new Error('no browser')
  const context = await browser.newContext({ locale: 'nb-NO', reducedMotion: 'reduce', ...options })
  return context.newPage()
}

export function hasBrowser(): boolean {
  return isCarried() || installed() !== null
}

function installed(): Chromium | null {
  const program = PLACES.find((each) => existsSync(each))
  return program === undefined ? null : { program, env: {} }
}

/** A picture of the whole page in test/results, for people: taken where PICTURES is set, since it takes as long as all else. */
export async function picture(page: Page, name: string): Promise<void> {
  if (!process.env.PICTURES) return
  await mkdir(RESULTS, { recursive: true })
  await page.screenshot({ path: `${RESULTS}${name}.png`, fullPage: true })
}

const RESULTS = fileURLToPath(new URL('../results/', import.meta.url))

/** The rules of axe-core that depend on where things stand, and not on what they are. */
export const LAYOUT_RULES = [
  'color-contrast',
  'link-in-text-block',
  'scrollable-region-focusable',
  'target-size',
]

let axe: Promise<string> | null = null

/**
 * What axe-core finds on a page, however small, one line each.
 *
 * @param rules only these; all of them when left out
 */
export async function axeFaults(page: Page, rules?: readonly string[]): Promise<string[]> {
  axe ??= readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(`${await axe}; 0`)
  // What is in order need not be told of, element for element.
  const options = { resultTypes: ['violations'], ...(rules === undefined ? {} : { runOnly: rules }) }
  const { violations } = (await page.evaluate(`axe.run(${JSON.stringify(options)})`)) as {
    violations: { id: string; nodes: { target: string[] }[] }[]
  }
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)
}
