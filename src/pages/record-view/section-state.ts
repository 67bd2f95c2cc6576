import { html } from 'ghtml'
import type { Language } from '#src/core/language.ts'
import type { Bedrift } from '#src/record/record.ts'
import { stateText } from './wording.ts'

type ShownSection = Exclude<keyof Bedrift['kilder'], 'enhet' | 'sn2007'>

/** In place of a part that is not there: its state and why, and where we do not know, that this is not nothing. */
export function missing({ kilder }: Pick<Bedrift, 'kilder'>, name: ShownSection, language: Language): string {
  const { tilstand, arsak } = kilder[name]
  const isUnknown = tilstand === 'utilgjengelig'
  return html`<p class="mangler"><span class="ds-tag" data-color="${isUnknown ? 'warning' : 'neutral'}">${stateText(tilstand, language)}</span> <span lang="nb">${arsak?.beskrivelse ?? ''}</span>!${isUnknown ? html` <span>${words[language].notEmpty}</span>` : ''}</p>`
}

/** Over a part that is an older copy; nothing over one that is fresh. */
export function olderCopy(
  { kilder }: Pick<Bedrift, 'kilder'>,
  name: ShownSection,
  language: Language,
): string {
  const { tilstand, arsak } = kilder[name]
  if (tilstand !== 'utdatert') return ''
  return html`<p class="mangler"><span class="ds-tag" data-color="warning">${stateText(tilstand, language)}</span> <span lang="nb">${arsak?.beskrivelse ?? ''}</span></p>`
}

const words = {
  nb: { notEmpty: 'Det betyr ikke at det er ingenting: vi vet det ikke nå, og sier det.' },
  en: { notEmpty: 'That does not mean that there is nothing: we do not know now, and say so.' },
}
