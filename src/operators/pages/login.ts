import { html } from 'ghtml'
import { layout } from './layout.ts'

export function loginPage({ areOperators, fault }: { areOperators: boolean; fault: string | null }): string {
  const body = areOperators
    ? html`!${fault === null ? '' : html`<div class="ds-alert" data-color="danger" role="alert">${fault}</div>`}
<form method="post" action="/inn" class="endring">
<div class="ds-field"><label class="ds-label" for="token">Operatørtoken</label>
<input class="ds-input" id="token" name="token" type="password" required maxlength="100" autocomplete="off" spellcheck="false"></div>
<button class="ds-button">Logg inn</button>
</form>`
    : html`<p class="ds-paragraph">Ingen operatør er satt opp, så her er bare <a class="ds-link" href="/health/ready">helse</a> og <a class="ds-link" href="/metrics">målinger</a>. Lag en med <code>oppslag operator ny</code>.</p>`
  return layout({ title: 'Logg inn', operator: null, path: '/inn' }, body)
}
