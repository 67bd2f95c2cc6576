import { html } from 'ghtml'
import type { CoveredSource } from '#src/changes/coverage.ts'
import type { Watched } from '#src/changes/watches.ts'
import { keptOf } from '#src/sources/index.ts'
import type { Visitor } from '../visitor.ts'
import { momentText } from './moment-text.ts'

/** Whether a company is watched, by whoever is shown it. */
export type Watching = {
  token: string
  watch: Watched | null
  /** There is an address that mails would go to. */
  canBeMailed: boolean
  /** Sources that are not followed yet, or whose look of the day is late. */
  waiting?: readonly CoveredSource[]
}

/**
 * To begin watching a company, to choose how one is told, and to stop. A form, so that it needs no script.
 *
 * @param back where one comes afterwards
 */
export function watchForm(
  orgnr: string,
  { token, watch, canBeMailed }: Watching,
  back: 'foretak' | 'liste',
  { language, at }: Pick<Visitor, 'language' | 'at'>,
): string {
  const t = words[language]
  const chosen = watch?.epost ?? 'ingen'
  const id = `epost-${orgnr}`
  const choice = html`<div class="ds-field">
<label class="ds-label" for="${id}">${t.mail}</label>
<select class="ds-input" id="${id}" name="epost">
!${(['ingen', 'daglig', 'straks'] as const).map((each) => html`<option value="${each}"!${each === chosen ? ' selected' : ''}>${t.choices[each]}</option>`)}
</select>
</div>`
  const stop = html`<button class="ds-button" data-variant="tertiary" data-size="sm" type="submit" name="gjor" value="slutt">${t.stop}</button>`
  const begin = watch === null ? t.watch : t.change
  return html`<form class="skjema" action="${at(`/overvaking/${orgnr}`)}" method="post">
<input type="hidden" name="skjema" value="${token}">
<input type="hidden" name="fra" value="${back}">
!${canBeMailed ? choice : ''}
<p class="knapper">
!${watch === null || canBeMailed ? html`<button class="ds-button"!${watch === null ? '' : ' data-variant="secondary"'} data-size="sm" type="submit" name="gjor" value="overvak">${begin}</button>` : ''}
!${watch === null ? '' : stop}
</p>
</form>`
}

/** On the company's own page: folded away until it is wanted. */
export function watchFold(
  orgnr: string,
  watching: Watching,
  visitor: Pick<Visitor, 'language' | 'at'>,
): string {
  const t = words[visitor.language]
  const title = watching.watch === null ? t.watch : t.watched
  return html`<details class="ds-details overvak">
<summary>${title}</summary>
<p class="ds-paragraph">${t.what} <a class="ds-link" href="${visitor.at('/overvaking')}">${t.list}</a></p>
!${(watching.waiting ?? []).map((source) => waitingLine(source, visitor.language))}
!${watchForm(orgnr, watching, 'foretak', visitor)}
</details>`
}

function waitingLine({ source, from, expected }: CoveredSource, language: Visitor['language']): string {
  const t = words[language]
  const title = keptOf(source).title[language]
  const when = expected === null ? '' : ` ${t.expected} ${momentText(expected, language)}.`
  return html`<p class="ds-paragraph dempet">${title}: ${from === null ? t.unseen : t.late}${when}</p>`
}

const words = {
  nb: {
    watch: 'Overvåk',
    watched: 'Du overvåker foretaket',
    what: 'Vi ser etter hva som endrer seg, og sier fra.',
    list: 'Alle du overvåker',
    mail: 'E-post når noe endres',
    choices: { ingen: 'Nei', daglig: 'Én gang om dagen', straks: 'Med én gang' },
    change: 'Lagre valget',
    stop: 'Slutt å overvåke',
    unseen: 'ikke sett ennå. Det som endres før det, kan vi ikke vite.',
    late: 'dagens blikk er forsinket.',
    expected: 'Ventes',
  },
  en: {
    watch: 'Watch',
    watched: 'You watch this company',
    what: 'We look for what changes, and tell you.',
    list: 'All you watch',
    mail: 'Mail when something changes',
    choices: { ingen: 'No', daglig: 'Once a day', straks: 'At once' },
    change: 'Save the choice',
    stop: 'Stop watching',
    unseen: 'not seen yet. What changes before that we can not know.',
    late: 'the look of the day is late.',
    expected: 'Expected',
  },
}
