import { createLru } from '#src/core/lru.ts'

/** What an announcement is about, recognised from its title. The register's own type codes are not in the open page. */
export const kunngjoringstyper = [
  'konkursapning',
  'konkursapning_i_hjemlandet',
  'bobehandling_innstilt',
  'bobehandling_avsluttet',
  'tvangsopplosning',
  'varsel_om_tvangsopplosning',
  'tvangsavvikling',
  'varsel_om_tvangsavvikling',
  'rekonstruksjon',
  /** about insolvency, but none of the above: a withdrawal, a correction, something new */
  'insolvens_annet',
  'avvikling',
  'sletting',
  'fusjon',
  'fisjon',
  'kapital',
  'navn',
  'formal',
  'styre',
  'daglig_leder',
  'revisor',
  'regnskap',
  'annet',
] as const
type Kunngjoringstype = (typeof kunngjoringstyper)[number]

/**
 * Recognises a title whatever its case and however its Norwegian letters came through (`Konkursåpning`, `KONKURSAPNING`).
 * A title that takes something back or corrects it is never read as the thing itself.
 */
export function recogniseKind(title: string): Recognised {
  const before = recognised.get(title)
  if (before !== undefined) return before
  const found = recognise(title)
  recognised.set(title, found)
  return found
}

type Recognised = Readonly<{ type: Kunngjoringstype; gjelderInsolvens: boolean }>

/** The register has some hundred titles, and every company the same ones. */
const recognised = createLru<string, Recognised>(500)

function recognise(title: string): Recognised {
  const text = folded(title)
  const isInsolvency = INSOLVENCY.test(text)
  if (isInsolvency && TAKES_BACK.test(text)) return { type: 'insolvens_annet', gjelderInsolvens: true }
  const type =
    KINDS.find(([, pattern]) => pattern.test(text))?.[0] ?? (isInsolvency ? 'insolvens_annet' : 'annet')
  return { type, gjelderInsolvens: isInsolvency }
}

const INSOLVENCY =
  /konkurs|bobehandling|bostyrer|tvangsopplos|tvangsavvikl|tvangsakkord|rekonstruksjon|gjeldsforhandl|insolvens/

const TAKES_BACK = /opphev|tilbakekal|omgjor|omgjort|bortfal|rettelse|avlys|annuller/

/** The first that fits decides: a warning before what it warns of, the narrow before the wide. */
const KINDS: [Kunngjoringstype, RegExp][] = [
  ['varsel_om_tvangsopplosning', /varsel.*tvangsopplos/],
  ['varsel_om_tvangsavvikling', /varsel.*tvangsavvikl/],
  // Any other warning is of something that has not happened.
  ['annet', /^varsel (?!.*(?:konkurs|bobehandling|rekonstruksjon))/],
  ['konkursapning_i_hjemlandet', /konkursapning.*hjemland/],
  ['konkursapning', /^konkursapning|^apning av konkurs/],
  ['bobehandling_innstilt', /innstil.*bobehandling|bobehandling.*innstil/],
  ['bobehandling_avsluttet', /avslut.*bobehandling|bobehandling.*avslut/],
  ['tvangsopplosning', /tvangsopplos/],
  ['tvangsavvikling', /tvangsavvikl/],
  ['rekonstruksjon', /rekonstruksjon/],
  ['insolvens_annet', INSOLVENCY],
  ['sletting', /\bslett/],
  ['fusjon', /\bfusjon/],
  ['fisjon', /\bfisjon/],
  ['avvikling', /\bavvikl|\bopplos/],
  ['kapital', /kapital|\bemisjon/],
  ['navn', /foretaksnavn|navneendring|\bnavn\b/],
  ['formal', /\bformal/],
  ['daglig_leder', /\bdaglig leder/],
  ['styre', /\bstyre/],
  ['revisor', /\brevis/],
  ['regnskap', /regnskap|mellombalanse/],
]

function folded(title: string): string {
  return title
    .toLowerCase()
    .replaceAll('ø', 'o')
    .replaceAll('æ', 'ae')
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/\s+/g, ' ')
    .trim()
}
