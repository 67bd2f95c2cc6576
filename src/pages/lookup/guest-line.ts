import { html } from 'ghtml'
import type { Visitor } from '../visitor.ts'
import type { Guest } from './guest.ts'

/** Who the page is shown for, and what to do about it. Which key it is stands by its id, which is no secret. */
export function guestLine({ key, ended }: Guest, { language, at }: Pick<Visitor, 'language' | 'at'>): string {
  const t = words[language]
  if (key !== null) {
    return html`<p class="gjest dempet">${t.inside(key.id)} <a class="ds-link" href="${at('/liste')}">${t.list}</a> · <a class="ds-link" href="${at('/overvaking')}">${t.watched}</a> · <a class="ds-link" href="${at('/nokler')}">${t.keys}</a> · <a class="ds-link" href="${at('/endepunkter')}">Webhooks</a> · <a class="ds-link" href="${at('/logg-ut')}">${t.leave}</a></p>`
  }
  return html`!${ended === null ? '' : html`<div class="ds-alert merknad" data-color="warning" role="status"><p class="ds-paragraph">${t.ended[ended]}</p></div>`}
<p class="gjest dempet">${t.outside} <a class="ds-link" href="${at('/logg-inn')}">${t.enter}</a> · <a class="ds-link" href="${at('/liste')}">${t.list}</a></p>`
}

const words = {
  nb: {
    inside: (id: string) => `Du er inne med nøkkelen ${id}.`,
    list: 'Slå opp mange',
    watched: 'Overvåking',
    keys: 'Nøkler',
    leave: 'Logg ut',
    outside: 'Uten nøkkel slår du opp blant oppdiktede foretak. Med nøkkel: alle i Norge.',
    enter: 'Logg inn med nøkkel',
    ended: {
      over: 'Økten er over. Logg inn igjen for å se virkelige foretak.',
      utlopt: 'Nøkkelen er utløpt, og økten er avsluttet.',
      tilbakekalt: 'Nøkkelen er tilbakekalt eller byttet, og økten er avsluttet.',
    },
  },
  en: {
    inside: (id: string) => `You are in with the key ${id}.`,
    list: 'Look up many',
    watched: 'Watched',
    keys: 'Keys',
    leave: 'Log out',
    outside: 'Without a key you look up invented companies. With one: all in Norway.',
    enter: 'Log in with a key',
    ended: {
      over: 'The session is over. Log in again to see real companies.',
      utlopt: 'The key has expired, and the session has ended.',
      tilbakekalt: 'The key was revoked or replaced, and the session has ended.',
    },
  },
}
