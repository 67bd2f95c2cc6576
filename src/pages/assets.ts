import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type HeldDocument, holdDocument } from '../http/held-document.ts'

/** What a page loads besides itself. */
type Asset = {
  /** Has the hash of the bytes in it, so that it may be kept for ever. */
  path: string
  document: HeldDocument
}

export type Assets = Record<'style' | 'lookupScript' | 'orderScript' | 'mark', Asset>

const fromPackage = createRequire(import.meta.url)

/** Of Designsystemet only what these pages use: some forty per cent of the whole. */
const COMPONENTS = [
  'alert',
  'button',
  'details',
  'field',
  'fieldset',
  'heading',
  'input',
  'label',
  'link',
  'list',
  'paragraph',
  'skip-link',
  'table',
  'tag',
  'validation-message',
]

/** Reads the files pages are shown with. Everything is served from here: no page asks anybody else for anything. */
export function readAssets(): Assets {
  return {
    style: asset('side.css', 'text/css; charset=utf-8', styleSheet()),
    lookupScript: asset('oppslag.js', 'text/javascript; charset=utf-8', own('oppslag.js')),
    orderScript: asset('ordre.js', 'text/javascript; charset=utf-8', own('ordre.js')),
    mark: asset('merke.svg', 'image/svg+xml', own('merke.svg')),
  }
}

/** The layers are named as in the package's own sheet, so that ours, the last, goes before them. */
function styleSheet(): string {
  const theme = packaged('theme.css')
  const components = COMPONENTS.map((name) => packaged(`${name}.css`)).join('\n')
  return [
    '@layer ds.theme, ds.base, ds.components, side;',
    theme,
    `@layer ds.base{${packaged('base.css')}}`,
    `@layer ds.components{${components}}`,
    own('farger.css'),
    `@layer side{${own('side.css')}}`,
  ].join('\n')
}

function packaged(name: string): string {
  return readFileSync(fromPackage.resolve(`@digdir/designsystemet-css/${name}`), 'utf8')
}

function own(name: string): string {
  return readFileSync(new URL(`assets/${name}`, import.meta.url), 'utf8')
}

function asset(name: string, type: string, text: string): Asset {
  const hash = createHash('sha256').update(text).digest('base64url').slice(0, 16)
  return { path: `/statisk/${hash}/${name}`, document: holdDocument(text, type) }
}
