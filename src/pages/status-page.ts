import { html } from 'ghtml'
import { policy } from '#config/policy.ts'
import { moment } from '#src/mail/templates/wording.ts'
import type { PublicStatus, SourceCondition } from '#src/ops/public-status.ts'
import { askedOf, isRegisterSource } from '#src/sources/index.ts'
import type { Language } from '../http/problems.ts'
import type { PageContent } from './layout.ts'
import type { Visitor } from './visitor.ts'

/** First whether anything is wrong, then each register and each feed with the times that is known as of. */
export function statusPage({ tid, kilder, feeder }: PublicStatus, { language }: Visitor): PageContent {
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
    main: html`<div class="ramme smal luft driftsstatus">
<h1 class="ds-heading" data-size="lg">${t.title}</h1>
<div class="ds-alert merknad" data-color="${colour}"><div>
<p class="ds-paragraph"><strong>${said}</strong></p>
!${wrong.length === 0 ? '' : html`<ul class="ds-list">!${wrong.map((each) => html`<li>${each}</li>`)}</ul><p class="ds-paragraph">${t.meanwhile}</p>`}
</div></div>
<p class="ds-paragraph dempet">${t.asOf} <time datetime="${tid}">${moment(new Date(tid), language)}</time>. <a class="ds-link" href="/status.json">${t.asJson}</a></p>
!${sources(kilder, language)}
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
      .map(({ kilde }) => nameOf(kilde, language))
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

function sources(kilder: PublicStatus['kilder'], language: Language): string {
  const t = words[language]
  const rows = kilder.map(({ kilde, drift, sistSvar, sistFeil }) => {
    const failed =
      sistFeil !== null && drift !== 'i_drift'
        ? html`<span class="driftsstatus__om">${t.lastFailure} !${time(sistFeil, language)}</span>`
        : ''
    return html`<tr><th scope="row">${nameOf(kilde, language)}<span class="driftsstatus__om">${registerOf(kilde)}</span></th>
<td><span class="ds-tag" data-size="sm" data-color="${COLOURS[drift]}">${t.conditions[drift]}</span>!${failed}</td>
<td>!${time(sistSvar, language)}</td></tr>`
  })
  return table(t.sourcesCaption, t.sourceHeadings, rows)
}

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
  return html`!${table(t.feedsCaption, t.feedHeadings, rows)}
<p class="ds-paragraph dempet">${t.feedsMean} !${first === undefined ? '' : html`${t.heard} !${time(first.per, language)}.`}</p>`
}

function table(caption: string, headings: readonly string[], rows: readonly string[]): string {
  return html`<div class="rull" tabindex="0" role="region" aria-label="${caption}"><table class="ds-table"><caption>${caption}</caption>
<thead><tr>!${headings.map((heading) => html`<th scope="col">${heading}</th>`)}</tr></thead>
<tbody>!${rows.join('\n')}</tbody></table></div>`
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
  const say = (parts: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(language === 'nb' ? 'nb-NO' : 'en-GB', {
      timeZone: 'Europe/Oslo',
      ...parts,
    }).format(new Date(at))
  const day = say({ day: 'numeric', month: 'short' })
  return html`<time datetime="${at}"><span>${day}</span> <span>${words[language].clock} ${say({ timeStyle: 'short' })}</span></time>`
}

const COLOURS: Record<SourceCondition, string> = {
  i_drift: 'success',
  ustabil: 'warning',
  nede: 'danger',
  ukjent: 'neutral',
}

/** What another process reports under a name this release does not know stands as it is. */
function nameOf(source: string, language: Language): string {
  return isRegisterSource(source) ? askedOf(source).title[language] : source
}

function registerOf(source: string): string {
  return isRegisterSource(source) ? askedOf(source).register.title : ''
}

function feedName(feed: string, language: Language): string {
  return (words[language].feeds as Readonly<Record<string, string>>)[feed] ?? feed
}

type Words = {
  conditions: Record<SourceCondition, string>
  sourceHeadings: readonly string[]
  feedHeadings: readonly string[]
}

const words = {
  nb: {
    title: 'Driftsstatus',
    description: 'Om tjenesten er oppe, hvordan hvert register svarer, og hvor ferskt det som vises er.',
    allIsWell: 'Tjenesten er oppe, og ingenting er galt.',
    nothingKnown:
      'Tjenesten er oppe. Registrene er ikke spurt siden den ble startet, så hvordan de svarer, er ikke kjent.',
    someKnown: (count: number) =>
      `Tjenesten er oppe, og det som er spurt, svarer. ${count} ${count === 1 ? 'kilde er' : 'kilder er'} ikke spurt siden den ble startet.`,
    notAllIsWell: 'Tjenesten er oppe, men ikke alt er ferskt.',
    meanwhile: 'Det vi har fra før, vises så lenge, merket som utdatert.',
    late: (name: string, behind: string) => `Endringer i ${name} ligger ${behind} etter.`,
    asOf: 'Per',
    asJson: 'Som JSON',
    hours: 't',
    clock: 'kl.',
    sourcesCaption: 'Kilder',
    sourceHeadings: ['Register', 'Tilstand', 'Siste svar'],
    lastFailure: 'Siste feil',
    feedsCaption: 'Endringer som følges',
    feedHeadings: ['Endringer i', 'Etterslep', 'Nyeste endring'],
    feedsMean:
      'Ikke spurt: ikke siden tjenesten ble startet. Etterslepet er hvor lenge noe et register har kunngjort, kan mangle her.',
    heard: 'Per',
    conditions: {
      i_drift: 'I drift',
      ustabil: 'Svarte ikke sist',
      nede: 'Svarer ikke',
      ukjent: 'Ikke spurt',
    },
    feeds: { enheter: 'enheter', underenheter: 'underenheter', roller: 'roller' },
  },
  en: {
    title: 'Service status',
    description: 'Whether the service is up, how each register answers, and how fresh what is shown is.',
    allIsWell: 'The service is up, and nothing is wrong.',
    nothingKnown:
      'The service is up. The registers have not been asked since it was started, so how they answer is not known.',
    someKnown: (count: number) =>
      `The service is up, and what was asked answers. ${count} ${count === 1 ? 'source has' : 'sources have'} not been asked since it was started.`,
    notAllIsWell: 'The service is up, but not everything is fresh.',
    meanwhile: 'What we have from before is shown meanwhile, marked as stale.',
    late: (name: string, behind: string) => `Changes of ${name} are ${behind} late.`,
    asOf: 'As of',
    asJson: 'As JSON',
    hours: 'h',
    clock: 'at',
    sourcesCaption: 'Sources',
    sourceHeadings: ['Register', 'Condition', 'Last answer'],
    lastFailure: 'Last failure',
    feedsCaption: 'Changes that are followed',
    feedHeadings: ['Changes of', 'Lag', 'Newest change'],
    feedsMean:
      'Not asked: not since the service was started. The lag is how long something a register has published may be missing here. Times are Norway’s.',
    heard: 'As of',
    conditions: {
      i_drift: 'Working',
      ustabil: 'Failed last time',
      nede: 'Not answering',
      ukjent: 'Not asked',
    },
    feeds: { enheter: 'units', underenheter: 'sub-units', roller: 'roles' },
  },
} as const satisfies Record<Language, Words & Record<string, unknown>>
