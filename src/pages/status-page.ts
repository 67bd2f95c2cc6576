import { html } from 'ghtml'
import { policy } from '#config/policy.ts'
import type { Language } from '#src/core/language.ts'
import { moment } from '#src/mail/templates/wording.ts'
import type { PublicStatus, SourceCondition } from '#src/ops/public-status.ts'
import { askedOf, isRegisterSource } from '#src/sources/index.ts'
import type { PageContent } from './layout.ts'
import { dayBars, dayLegend } from './status-days.ts'
import { incidentWords, sourceName, timeParts, statusWords as words } from './status-words.ts'
import type { Visitor } from './visitor.ts'

/** First whether anything is wrong, then each register as it is and has been, what went wrong before, and each feed. */
export function statusPage(status: PublicStatus, { language }: Visitor): PageContent {
  const { tid, kilder, feeder } = status
  const t = words[language]
  const wrong = whatIsWrong({ kilder, feeder }, language)
  const unknown = kilder.filter(({ drift }) => drift === 'ukjent').length
  const [colour, said] =
    wrong.length > 0
      ? (['warning', t.notAllIsWell] as const)
      : unknown === 0
        ? (['success', t.allIsWell] as const)
        : (['info', unknown === kilder.length ? t.nothingKnown : t.someKnown(unknown)] as const)
  return {
    title: t.title,
    description: t.description,
    feed: { url: `/status.atom?lang=${language}`, title: t.incidents },
    main: html`<div class="ramme smal luft driftsstatus">
<h1 class="ds-heading" data-size="lg">${t.title}</h1>
<div class="ds-alert merknad" data-color="${colour}"><div>
<p class="ds-paragraph"><strong>${said}</strong></p>
!${wrong.length === 0 ? '' : html`<ul class="ds-list">!${wrong.map((each) => html`<li>${each}</li>`)}</ul><p class="ds-paragraph">${t.meanwhile}</p>`}
</div></div>
<p class="ds-paragraph dempet">${t.asOf} <time datetime="${tid}">${moment(new Date(tid), language)}</time>. <a class="ds-link" href="/status.json">${t.asJson}</a> · <a class="ds-link" href="/status.atom?lang=${language}">${t.asFeed}</a></p>
!${sources(status, language)}
!${incidents(status, language)}
!${feeder.length === 0 ? '' : feeds(feeder, language)}
</div>`,
  }
}

function whatIsWrong(
  { kilder, feeder }: Pick<PublicStatus, 'kilder' | 'feeder'>,
  language: Language,
): string[] {
  const t = words[language]
  const named = (condition: SourceCondition) =>
    kilder
      .filter(({ drift }) => drift === condition)
      .map(({ kilde }) => sourceName(kilde, language))
      .join(', ')
  const down = named('nede')
  const unstable = named('ustabil')
  return [
    ...(down === '' ? [] : [`${t.conditions.nede}: ${down}.`]),
    ...(unstable === '' ? [] : [`${t.conditions.ustabil}: ${unstable}.`]),
    ...feeder
      .filter(isLate)
      .map(({ feed, etterslepSekunder }) =>
        t.late(feedName(feed, language), lag(etterslepSekunder, language)),
      ),
  ]
}

function sources({ kilder, historikk }: PublicStatus, language: Language): string {
  const t = words[language]
  return html`<section class="driftsstatus__del" aria-labelledby="kilder">
<h2 class="ds-heading" data-size="sm" id="kilder">${t.sources}</h2>
!${historikk === null ? html`<p class="ds-paragraph dempet">${t.unread}</p>` : dayLegend(language)}
<ul class="driftsstatus__kilder">
!${kilder.map((each) => source(each, language))}
</ul>
!${historikk === null ? '' : html`<p class="ds-paragraph dempet">${t.daysMean}</p>`}
</section>`
}

function source(
  { kilde, drift, siden, sistSvar, sistFeil, dager }: PublicStatus['kilder'][number],
  language: Language,
): string {
  const t = words[language]
  const failed =
    sistFeil !== null && drift !== 'i_drift' ? html` · ${t.lastFailure} !${time(sistFeil, language)}` : ''
  return html`<li><h3 class="ds-heading" data-size="2xs">${sourceName(kilde, language)} <span class="driftsstatus__om">${registerOf(kilde)}</span></h3>
<p class="ds-paragraph driftsstatus__tilstand"><span class="ds-tag" data-size="sm" data-color="${COLOURS[drift]}">${t.conditions[drift]}</span>!${siden === null ? '' : html` <span>${t.since} !${time(siden, language)}</span>`}</p>
!${dager.length === 0 ? '' : dayBars(dager, language)}
!${sistSvar === null && failed === '' ? '' : html`<p class="driftsstatus__om">${t.lastAnswer} !${time(sistSvar, language)}!${failed}</p>`}</li>`
}

function incidents({ hendelser, historikk }: PublicStatus, language: Language): string {
  const t = words[language]
  if (historikk === null) return ''
  const shown = hendelser.slice(0, SHOWN_MAX)
  return html`<section class="driftsstatus__del" aria-labelledby="hendelser">
<h2 class="ds-heading" data-size="sm" id="hendelser">${t.incidents}</h2>
!${
    shown.length === 0
      ? html`<p class="ds-paragraph">${t.noIncidents}</p>`
      : html`<ol class="driftsstatus__hendelser">!${shown.map(
          (each) =>
            html`<li id="${each.id}"><strong>${sourceName(each.kilde, language)}</strong> ${incidentWords(each, language)}</li>`,
        )}</ol>`
  }
!${hendelser.length > SHOWN_MAX ? html`<p class="ds-paragraph">${t.more(hendelser.length - SHOWN_MAX)}</p>` : ''}
<p class="ds-paragraph dempet">${t.incidentsMean}</p>
</section>`
}

const SHOWN_MAX = 20

function feeds(feeder: PublicStatus['feeder'], language: Language): string {
  const t = words[language]
  const rows = feeder
    .toSorted((a, b) => a.feed.localeCompare(b.feed))
    .map((each) => {
      const { feed, etterslepSekunder, nyesteHendelse } = each
      return html`<tr><th scope="row">${feedName(feed, language)}</th>
<td><span class="ds-tag" data-size="sm" data-color="${isLate(each) ? 'warning' : etterslepSekunder === null ? 'neutral' : 'success'}">${lag(etterslepSekunder, language)}</span></td>
<td>!${time(nyesteHendelse, language)}</td></tr>`
    })
  const [first] = feeder
  return html`<div class="rull" tabindex="0" role="region" aria-label="${t.feedsCaption}"><table class="ds-table"><caption>${t.feedsCaption}</caption>
<thead><tr>!${t.feedHeadings.map((heading) => html`<th scope="col">${heading}</th>`)}</tr></thead>
<tbody>!${rows.join('\n')}</tbody></table></div>
<p class="ds-paragraph dempet">${t.feedsMean} !${first === undefined ? '' : html`${t.heard} !${time(first.per, language)}.`}</p>`
}

function isLate({ etterslepSekunder }: PublicStatus['feeder'][number]): boolean {
  return etterslepSekunder !== null && etterslepSekunder * 1000 > policy.ops.feedLagMaxMs
}

function lag(seconds: number | null, language: Language): string {
  if (seconds === null) return words[language].conditions.ukjent
  if (seconds < 120) return `${seconds} s`
  return seconds < 7200
    ? `${Math.round(seconds / 60)} min`
    : `${Math.round(seconds / 3600)} ${words[language].hours}`
}

/** Norway's time, short enough for a phone; what a machine reads is the moment itself. */
function time(at: string | null, language: Language): string {
  if (at === null) return '–'
  const { day, clock } = timeParts(at, language)
  return html`<time datetime="${at}"><span>${day}</span> <span>${clock}</span></time>`
}

const COLOURS: Record<SourceCondition, string> = {
  i_drift: 'success',
  ustabil: 'warning',
  nede: 'danger',
  ukjent: 'neutral',
}

function registerOf(source: string): string {
  return isRegisterSource(source) ? askedOf(source).register.title : ''
}

function feedName(feed: string, language: Language): string {
  return (words[language].feeds as Readonly<Record<string, string>>)[feed] ?? feed
}
