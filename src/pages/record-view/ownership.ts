import { html } from 'ghtml'
import type { Language } from '#src/core/language.ts'
import type { Eierskap } from '#src/record/eierskap/eierskap.ts'
import { type LinkTo, linked, noLinks } from './link-to.ts'
import { graphOf } from './ownership-graph.ts'
import { ownershipOutline, ownershipPicture } from './ownership-picture.ts'
import { dateText, orgnrText, percentText } from './wording.ts'

/** Who owns the company and what it owns: a picture for wide screens, one for narrow, and the tables behind them. */
export function ownershipFigure(
  ownership: Eierskap,
  language: Language,
  id: string,
  linkTo: LinkTo = noLinks,
): string {
  const t = words[language]
  const graph = graphOf(ownership)
  const label = `${t.picture(ownership.navn ?? '')} ${t.seeTable}`
  return html`<figure class="eierskap">
<div class="eierskap__bred" tabindex="0" role="region" aria-label="${t.wide}">!${ownershipPicture(graph, language, label, linkTo)}</div>
<div class="eierskap__smal">!${ownershipOutline(graph, language, label, linkTo)}</div>
<figcaption class="dempet">${t.asOf(dateText(ownership.gjelderPer, language))}</figcaption>
</figure>
<details class="ds-details tabellbak">
<summary id="${id}-eiere">${t.table}</summary>
<div>
!${owners(ownership, language, `${id}-eiere`, linkTo)}
!${holdings(ownership, language, `${id}-eiere`, linkTo)}
</div>
</details>`
}

function owners({ oppover }: Eierskap, language: Language, labelledBy: string, linkTo: LinkTo): string {
  if (oppover === null) return ''
  const t = words[language]
  const cell = (percent: number | null) => (percent === null ? '–' : percentText(percent, language))
  const rows = [
    ...oppover.eiere.map(({ eier, ...rest }) => ({ part: eier, ...rest })),
    ...oppover.mellomledd.map(({ foretak, ...rest }) => ({ part: foretak, ...rest })),
  ].toSorted((a, b) => a.ledd - b.ledd || (b.effektivProsent ?? 0) - (a.effektivProsent ?? 0))
  return html`<div class="rull" tabindex="0" role="region" aria-labelledby="${labelledBy}">
<table class="ds-table tall">
<caption>${t.owners}</caption>
<thead><tr><th scope="col">${t.owner}</th><th scope="col">${t.level}</th><th scope="col">${t.direct}</th><th scope="col">${t.effective}</th></tr></thead>
<tbody>
!${rows.map(
    ({ part, ledd, direkteProsent, effektivProsent }) =>
      html`<tr><th scope="row">!${linked(part.navn ?? t.hidden, part.organisasjonsnummer, linkTo)}</th><td>${ledd}</td><td>${cell(direkteProsent)}</td><td>${cell(effektivProsent)}</td></tr>`,
  )}
<tr><th scope="row">${t.others(oppover.ovrige.antall)}</th><td>1</td><td>${cell(oppover.ovrige.prosent)}</td><td>${cell(oppover.ovrige.prosent)}</td></tr>
</tbody>
</table>
</div>`
}

function holdings({ nedover }: Eierskap, language: Language, labelledBy: string, linkTo: LinkTo): string {
  const held = [...(nedover?.datterselskap ?? []), ...(nedover?.tilknyttede ?? [])]
  if (held.length === 0) return ''
  const t = words[language]
  return html`<div class="rull" tabindex="0" role="region" aria-labelledby="${labelledBy}">
<table class="ds-table tall">
<caption>${t.holdings}</caption>
<thead><tr><th scope="col">${t.company}</th><th scope="col">${t.number}</th><th scope="col">${t.share}</th></tr></thead>
<tbody>
!${held.map(
    ({ navn, organisasjonsnummer, prosent }) =>
      html`<tr><th scope="row">!${linked(navn ?? orgnrText(organisasjonsnummer), organisasjonsnummer, linkTo)}</th><td>${orgnrText(organisasjonsnummer)}</td><td>${prosent === null ? '–' : percentText(prosent, language)}</td></tr>`,
  )}
</tbody>
</table>
</div>`
}

const words = {
  nb: {
    picture: (name: string) => `Eierskapet i ${name}: eiere øverst, det selskapet eier nederst.`,
    wide: 'Eierskapet som bilde',
    seeTable: 'Andelene står i tabellen under.',
    asOf: (date: string) => `Aksjer per ${date}. «I alt» er direkte og gjennom andre til sammen.`,
    table: 'Eierne og eierandelene i tabell',
    owners: 'Eiere',
    holdings: 'Selskapet eier',
    owner: 'Eier',
    level: 'Ledd',
    direct: 'Direkte',
    effective: 'I alt',
    company: 'Selskap',
    number: 'Org.nr.',
    share: 'Andel',
    hidden: 'Vises ikke',
    others: (count: number) => `Øvrige (${count})`,
  },
  en: {
    picture: (name: string) => `The ownership of ${name}: owners above, what the company owns below.`,
    wide: 'The ownership as a picture',
    seeTable: 'The shares are in the table below.',
    asOf: (date: string) => `Shares as of ${date}. "In all" is directly and through others together.`,
    table: 'Owners and holdings in a table',
    owners: 'Owners',
    holdings: 'The company owns',
    owner: 'Owner',
    level: 'Level',
    direct: 'Direct',
    effective: 'In all',
    company: 'Company',
    number: 'Org. no.',
    share: 'Share',
    hidden: 'Not shown',
    others: (count: number) => `Others (${count})`,
  },
}
