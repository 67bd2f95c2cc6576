import { html } from 'ghtml'
import type { PageContent } from '../layout.ts'
import type { Guest } from '../lookup/guest.ts'
import { guestLine } from '../lookup/guest-line.ts'
import { aboutText, whyText } from '../lookup/hit-words.ts'
import { orgnrText } from '../record-view/wording.ts'
import type { Visitor } from '../visitor.ts'
import type { FoundLine } from './find-lines.ts'

/** @param found null: nothing has been given yet. `leftOut`: lines beyond what one list may have */
export function listPage(
  {
    token,
    guest,
    found,
    leftOut,
    linesMax,
  }: { token: string; guest: Guest; found: readonly FoundLine[] | null; leftOut: number; linesMax: number },
  visitor: Visitor,
): PageContent {
  const t = words[visitor.language]
  const { at } = visitor
  return {
    title: t.title,
    description: t.lead(linesMax),
    isHidden: found !== null,
    main: html`<div class="ramme luft">
<h1 class="ds-heading" data-size="lg">${t.title}</h1>
!${guestLine(guest, visitor)}
!${
      found === null || found.length === 0
        ? html`<p class="ds-paragraph ingress">${t.lead(linesMax)}</p>
!${found === null ? '' : html`<div class="ds-alert merknad" data-color="warning" role="alert"><p class="ds-paragraph">${t.empty}</p></div>`}
<form class="skjema" action="${at('/liste')}" method="post" enctype="multipart/form-data">
<input type="hidden" name="skjema" value="${token}">
<div class="ds-field">
<label class="ds-label" for="linjer">${t.lines}</label>
<p data-field="description" id="linjer-hjelp">${t.linesHint}</p>
<textarea class="ds-input liste__felt" id="linjer" name="linjer" rows="10" spellcheck="false" autocapitalize="none" aria-describedby="linjer-hjelp"></textarea>
</div>
<div class="ds-field">
<label class="ds-label" for="fil">${t.file}</label>
<p data-field="description" id="fil-hjelp">${t.fileHint}</p>
<input class="ds-input" id="fil" name="fil" type="file" accept=".txt,.csv,text/plain,text/csv" aria-describedby="fil-hjelp">
</div>
<button class="ds-button" type="submit">${t.find}</button>
</form>`
        : foundList(found, { token, leftOut, linesMax }, visitor)
    }
</div>`,
  }
}

function foundList(
  found: readonly FoundLine[],
  { token, leftOut, linesMax }: { token: string; leftOut: number; linesMax: number },
  { language, at }: Visitor,
): string {
  const t = words[language]
  const count = (band: FoundLine['band']) => found.filter((each) => each.band === band).length
  return html`<p class="ds-paragraph ingress" role="status">${t.summary(found.length, count('sikker') + count('valgt'), count('velg'), count('ingen'))}</p>
!${leftOut === 0 ? '' : html`<div class="ds-alert merknad" data-color="warning"><p class="ds-paragraph">${t.leftOut(linesMax, leftOut)}</p></div>`}
<p class="ds-paragraph">${t.correct}</p>
<form class="liste" action="${at('/liste')}" method="post">
<input type="hidden" name="skjema" value="${token}">
<input type="hidden" name="antall" value="${found.length}">
<p class="knapper"><button class="ds-button" type="submit" name="gjor" value="finn">${t.again}</button> <button class="ds-button" data-variant="secondary" type="submit" name="gjor" value="xlsx">${t.xlsx}</button> <button class="ds-button" data-variant="secondary" type="submit" name="gjor" value="csv">CSV</button></p>
<ol class="liste__linjer">
!${found.map((line, index) => foundLine(line, index, { language, at }))}
</ol>
</form>
<p class="knapper"><a class="ds-button" data-variant="secondary" href="${at('/liste')}">${t.another}</a></p>`
}

function foundLine(
  { given, place, band, chosen, candidates }: FoundLine,
  index: number,
  { language, at }: Pick<Visitor, 'language' | 'at'>,
): string {
  const t = words[language]
  const color = band === 'sikker' || band === 'valgt' ? 'success' : band === 'velg' ? 'warning' : 'neutral'
  const told =
    candidates.length > 0
      ? html`<label class="ds-sr-only" for="v${index}">${t.which(index + 1)}</label>
<select class="ds-input" id="v${index}" name="v${index}"><option value="">${t.noneOfThese}</option>!${candidates.map(
          (each) =>
            html`<option value="${each.organisasjonsnummer}"!${each.organisasjonsnummer === chosen?.organisasjonsnummer ? ' selected' : ''}>${each.navn ?? orgnrText(each.organisasjonsnummer)} · ${aboutText(each, language)}</option>`,
        )}</select>`
      : chosen === null
        ? html`<span class="dempet">${t.notFound}</span>`
        : html`<a class="ds-link" href="${at(`/foretak/${chosen.organisasjonsnummer}`)}"><bdi>${chosen.navn ?? ''}</bdi></a> <span class="dempet">${aboutText(chosen, language)}. ${whyText(chosen, language)}</span>`
  return html`<li>
<label class="ds-sr-only" for="g${index}">${t.line(index + 1)}</label>
<input class="ds-input" id="g${index}" name="g${index}" value="${given}" maxlength="180" spellcheck="false" autocapitalize="none">
!${place === null ? '' : html`<input type="hidden" name="s${index}" value="${place}">`}
<span class="ds-tag" data-color="${color}">${t.bands[band]}</span>
<span class="liste__funnet">!${told}</span>
</li>`
}

const words = {
  nb: {
    title: 'Slå opp mange',
    lead: (most: number) =>
      `Lim inn eller last opp inntil ${most} numre eller navn, og ta med deg svaret som ark.`,
    empty: 'Det var ingen linjer å slå opp. Lim inn noe, eller velg en fil med tekst.',
    lines: 'Ett nummer eller navn på hver linje',
    linesHint: 'Rett fra et regneark går fint. Står stedet i neste kolonne, hjelper det.',
    file: 'Eller en fil',
    fileHint: 'Tekst eller CSV. Fra Excel: lagre som CSV.',
    find: 'Slå opp',
    summary: (all: number, sure: number, several: number, none: number) =>
      `${all} linjer: ${sure} funnet, ${several} der du må velge, ${none} ikke funnet.`,
    leftOut: (most: number, left: number) =>
      `Bare de første ${most} linjene er slått opp. ${left} er utelatt: ta dem i en liste til.`,
    correct: 'Rett det som er feil, velg der det er flere, og slå opp igjen. Ingenting lagres hos oss.',
    again: 'Slå opp igjen',
    xlsx: 'Last ned Excel (XLSX)',
    another: 'En ny liste',
    line: (number: number) => `Linje ${number}`,
    which: (number: number) => `Hvilket foretak er linje ${number}?`,
    noneOfThese: 'Velg …',
    notFound: 'Ikke noe foretak heter så.',
    bands: { sikker: 'Sikkert', velg: 'Velg', ingen: 'Ikke funnet', valgt: 'Valgt' },
  },
  en: {
    title: 'Look up many',
    lead: (most: number) =>
      `Paste or upload up to ${most} numbers or names, and take the answer home as a sheet.`,
    empty: 'There were no lines to look up. Paste something, or choose a file of text.',
    lines: 'One number or name on each line',
    linesHint: 'Straight from a spreadsheet is fine. The place in the next column helps.',
    file: 'Or a file',
    fileHint: 'Text or CSV. From Excel: save as CSV.',
    find: 'Look up',
    summary: (all: number, sure: number, several: number, none: number) =>
      `${all} lines: ${sure} found, ${several} for you to choose, ${none} not found.`,
    leftOut: (most: number, left: number) =>
      `Only the first ${most} lines were looked up. ${left} were left out: take them in another list.`,
    correct:
      'Correct what is wrong, choose where there are several, and look up again. Nothing is stored with us.',
    again: 'Look up again',
    xlsx: 'Download Excel (XLSX)',
    another: 'Another list',
    line: (number: number) => `Line ${number}`,
    which: (number: number) => `Which company is line ${number}?`,
    noneOfThese: 'Choose …',
    notFound: 'No company is called so.',
    bands: { sikker: 'Certain', velg: 'Choose', ingen: 'Not found', valgt: 'Chosen' },
  },
}
