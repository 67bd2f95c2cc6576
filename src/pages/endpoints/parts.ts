import { html } from 'ghtml'
import type { Language } from '#src/core/language.ts'
import { moment } from '#src/mail/templates/wording.ts'
import type { Endpoint } from '#src/push/endpoints.ts'
import { textField } from '../form-parts.ts'
import { endpointTexts } from './texts.ts'

/** What was typed, and what was wrong with it. */
export type RefusedEndpoint = { adresse: string; typer: string; error: string }

/** Where to, and what of. */
export function wishFields(
  { adresse, typer, error }: { adresse: string; typer: string; error: string | null },
  language: Language,
): string {
  const t = endpointTexts[language]
  return html`!${textField('adresse', 'type="url" autocomplete="off" maxlength="1000"', { label: t.address, hint: t.addressHint, value: adresse, error })}
<div class="ds-field">
<label class="ds-label" for="typer">${t.types}</label>
<p data-field="description" id="typer-hjelp">${t.typesHint}</p>
<input class="ds-input" id="typer" name="typer" type="text" autocomplete="off" maxlength="400" value="${typer}" aria-describedby="typer-hjelp">
</div>`
}

/** Broken between its words, where it has to be broken. */
export function changeTypeText(type: string): string {
  return type
    .split('.')
    .map((word) => html`${word}`)
    .join('.<wbr>')
}

/** In words, how an endpoint is. */
export function endpointStateText({ av, feiletFra }: Endpoint, language: Language): string {
  const t = endpointTexts[language]
  if (av !== null) return t.off[av.grunn](moment(av.at, language))
  return feiletFra === null ? t.well : t.failing(moment(feiletFra, language))
}
