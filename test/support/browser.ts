import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { type Browser, chromium, type Page } from 'playwright-core'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/**
 * A real browser: the one that is installed, else Debian's Chromium, which is installed when we may. Null, and one line that
 * says what is missing, when there is none to be had.
 */
export async function openBrowser(): Promise<Browser | null> {
  const place = PLACES.find((each) => existsSync(each)) ?? installed()
  if (place === null) {
    process.stderr.write(
      'No browser: install chromium (apt-get install chromium) to run the tests of the pages.\n',
    )
    return null
  }
  // Root may not use Chromium's own sandbox; what is shown to it here is ours alone.
  return chromium.launch({
    executablePath: place,
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  })
}

function installed(): string | null {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return null
  const run = (...args: string[]) => spawnSync('apt-get', args, { stdio: 'ignore', timeout: 300_000 })
  run('update')
  run('install', '--yes', '--no-install-recommends', 'chromium')
  return PLACES.find((each) => existsSync(each)) ?? null
}

let axe: Promise<string> | null = null

/**
 * What axe-core finds on a page that is serious or worse, one line each.
 *
 * @param rules only these; all of them when left out
 */
export async function seriousFaults(page: Page, rules?: readonly string[]): Promise<string[]> {
  axe ??= readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(`${await axe}; 0`)
  const options = rules === undefined ? '{}' : JSON.stringify({ runOnly: rules })
  const { violations } = (await page.evaluate(`axe.run(${options})`)) as {
    violations: { id: string; impact: string; nodes: { target: string[] }[] }[]
  }
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)
}
